//! Planted faults: each kernel here has one, which its param `mended` takes away. The twin finds it
//! at the line that says so (`//~ name-of-the-check`), and finds nothing once it is mended.

use std::error::Error;
use std::fs;
use std::path::Path;

use rlx_kernels::prelude::*;

mod atomics;
mod barriers;
mod bounds;
mod floats;
mod integers;
mod matrices;
mod storage;
mod subgroups;
mod unwritten;

/// What a test gives.
type Outcome = Result<(), Box<dyn Error>>;

/// `name: kernel |options, mended| kernel::simulate(..)`: a test of that name.
macro_rules! planted {
    ($($test:ident: $kernel:ident |$options:ident, $mended:ident| $run:expr;)+) => {
        $(
            #[test]
            fn $test() -> $crate::Outcome {
                let run = |$options: &SimOptions, $mended: u32| $run;
                $crate::check(file!(), stringify!($kernel), run)
            }
        )+
    };
}
use planted;

/// The line of the first mark in the kernel's source, and the check that it names.
fn mark(file: &str, kernel: &str) -> Result<(u32, String), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let source = fs::read_to_string(path)?;
    let heads = [format!("fn {kernel}("), format!("fn {kernel}<")];
    (1..)
        .zip(source.lines())
        .skip_while(|(_, line)| !heads.iter().any(|head| line.starts_with(head)))
        .find_map(|(line, text)| {
            let (_, name) = text.split_once("//~")?;
            // `//~^` is about the line above: rustfmt moves what follows a `{`.
            Some(match name.strip_prefix('^') {
                Some(name) => (line - 1, name.trim().to_string()),
                None => (line, name.trim().to_string()),
            })
        })
        .ok_or_else(|| format!("{file} marks no line of {kernel}").into())
}

fn check(
    file: &str,
    kernel: &str,
    mut run: impl FnMut(&SimOptions, u32) -> Result<Report, SimError>,
) -> Outcome {
    let (line, name) = mark(file, kernel)?;
    // A fault of a loop must not take long to be seen.
    let options = SimOptions::thorough().loop_bound(10_000);
    let report = run(&options, 0)?;
    let found = report
        .findings
        .iter()
        .any(|finding| finding.check.name() == name && finding.at.line == line);
    assert!(found, "no {name} was found at {file}:{line}:\n{report}");
    let mended = run(&options, 1)?;
    assert!(
        mended.findings.is_empty(),
        "the mended kernel is right:\n{mended}"
    );
    Ok(())
}

/// The numbers from 1 to `len`.
fn floats(len: u32) -> Vec<f32> {
    (1..=len).map(|x| x as f32).collect()
}

#[test]
fn every_kernel_here_has_its_test() -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bugs");
    let mut kernels = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.ends_with("main.rs") {
            continue;
        }
        let source = fs::read_to_string(&path)?;
        let marks = source.matches("//~").count();
        let tests = source.matches(" |o, mended| ").count();
        assert_eq!(
            marks,
            tests,
            "{}: a mark and a test a kernel",
            path.display()
        );
        kernels += tests;
    }
    assert!(kernels >= 40, "{kernels} faults are planted");
    Ok(())
}
