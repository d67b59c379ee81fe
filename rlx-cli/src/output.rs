//! What goes to the standard output, and what to the standard error.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::error::CliError;

/// Writes `text` to the standard output. A reader that has gone away, as `head` does, is no error.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
        _ => Ok(()),
    }
}

/// Writes `value` to the standard output as one JSON document.
pub fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    print(&text)
}

/// Writes `value` to the standard output as JSON in one line.
pub fn print_json_line(value: &impl Serialize) -> Result<(), CliError> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    print(&text)
}

/// Writes a line to the standard error; `kind` is `error` or `note`.
pub fn complain(kind: &str, message: &dyn fmt::Display) {
    // With nobody to read it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{kind}: {message}");
}

/// Bytes in the unit that keeps them short: `17.4 MiB`.
pub fn bytes(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let power = bytes.ilog2() / 10;
    let scaled = bytes as f64 / 2_f64.powi(power as i32 * 10);
    format!("{scaled:.1} {}", units[power as usize - 1])
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn bytes_are_shown_in_the_unit_that_keeps_them_short() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1024), "1.0 KiB");
        assert_eq!(bytes(3 << 29), "1.5 GiB");
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
    }
}
