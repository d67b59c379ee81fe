//! Planted bugs. Each kernel has one, which its param `fixed` takes out: it is found at the lines that
//! carry `//~` and the name of the check, and nothing else is; without the bug, nothing is.

use std::collections::BTreeSet;

use rlx_kernels::{KernelInfo, Report, SimError, SimOptions};

mod barriers;

/// The lines of a kernel that carry `//~`, and the checks that they name.
fn marked(source: &str, kernel: &KernelInfo) -> BTreeSet<(u32, String)> {
    let mut marks = BTreeSet::new();
    for (number, line) in (1..).zip(source.lines()).skip(kernel.line as usize) {
        if line.starts_with('}') {
            break;
        }
        if let Some((_, names)) = line.split_once("//~") {
            // `//~^` is about the line above.
            let (number, names) = match names.strip_prefix('^') {
                Some(names) => (number - 1, names),
                None => (number, names),
            };
            marks.extend(
                names
                    .split_whitespace()
                    .map(|name| (number, name.to_string())),
            );
        }
    }
    marks
}

/// Holds the findings of a kernel against its marks.
#[track_caller]
fn check(
    source: &str,
    kernel: &KernelInfo,
    run: impl Fn(u32, &SimOptions) -> Result<Report, SimError>,
) {
    let options = SimOptions::thorough().loop_bound(1000);
    let right = run(1, &options).expect("it runs");
    assert!(right.findings.is_empty(), "without the bug: {right}");
    let wrong = run(0, &options).expect("it runs");
    let found: BTreeSet<(u32, String)> = wrong
        .findings
        .iter()
        .map(|finding| (finding.at.line, finding.check.name().to_string()))
        .collect();
    let wanted = marked(source, kernel);
    assert!(!wanted.is_empty(), "a bug is marked");
    assert_eq!(found, wanted, "with the bug: {wrong}");
    for finding in &wrong.findings {
        assert_eq!(finding.at.file, kernel.file, "{finding}");
    }
}
