//! The line of a place, as a compiler shows it.

use std::fmt;
use std::path::Path;

use super::Source;

/// The place, and its line where the file can be read.
pub(super) fn place(f: &mut fmt::Formatter<'_>, arrow: &str, at: &Source) -> fmt::Result {
    writeln!(f, "  {arrow} {at}")?;
    let Some(line) = line(at) else {
        return Ok(());
    };
    let number = at.line.to_string();
    let pad = " ".repeat(number.len());
    let column = at.column.saturating_sub(1) as usize;
    writeln!(f, "{pad}  |")?;
    writeln!(f, "{number}  | {line}")?;
    writeln!(f, "{pad}  | {}^", " ".repeat(column))
}

/// The line, read from the file as rustc names it: from the workspace's root, which a test does not
/// run in.
fn line(at: &Source) -> Option<String> {
    let index = at.line.checked_sub(1)?;
    let here = std::env::current_dir().ok()?;
    let file = Path::new(&at.file);
    let text = here
        .ancestors()
        .take(4)
        .find_map(|folder| std::fs::read_to_string(folder.join(file)).ok())?;
    let line = text.lines().nth(index as usize)?;
    Some(line.trim_end().to_string())
}
