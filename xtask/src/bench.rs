//! `cargo xtask bench`: what the macros cost those who build kernels.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Subcommand};
use thiserror::Error;

use crate::command::CommandError;
use crate::workspace::{Workspace, WorkspaceError};

/// What to measure.
#[derive(Debug, Args)]
pub struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The CPU time of each kernel's expansion in rustc, over all kernels of kernel-specs.
    Macros {
        /// How often kernel-specs is compiled.
        #[arg(long, default_value_t = 7)]
        rounds: u32,
    },
    /// The time of a user's first build and of the build after a change: a crate with one kernel, from an
    /// empty target folder.
    Build {
        /// How often it is built.
        #[arg(long, default_value_t = 3)]
        rounds: u32,
    },
}

/// Why a measurement failed.
#[derive(Debug, Error)]
pub enum BenchError {
    /// Cargo does not know the workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A command failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A file or folder could not be written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The build printed no timing.
    #[error("the build of kernel-specs printed no timing: no kernel was expanded")]
    Silent,
}

/// Measures.
///
/// # Errors
/// When a build fails.
pub fn run(options: &Options) -> Result<(), BenchError> {
    let workspace = Workspace::find()?;
    match options.what {
        What::Macros { rounds } => macros(&workspace, rounds.max(1)),
        What::Build { rounds } => build(&workspace, rounds.max(1)),
    }
}

/// Milliseconds of each step, by step and item.
type Times = BTreeMap<(String, String), Vec<f64>>;

fn macros(workspace: &Workspace, rounds: u32) -> Result<(), BenchError> {
    let target = workspace.target().join("bench-macros");
    let cargo = || {
        workspace
            .cargo()
            .with("CARGO_TARGET_DIR", target.as_os_str())
    };
    let check = cargo()
        .args([
            "check",
            "--locked",
            "-p",
            "kernel-specs",
            "-p",
            "rlx-kernel-macros",
        ])
        .args(["--features", "rlx-kernel-macros/timings"]);
    let clean = cargo().args(["clean", "-p", "kernel-specs"]);
    // The first build warms up the disk's cache and builds what kernel-specs needs.
    check.capture(|| {})?;
    let mut finals = Times::new();
    let mut helpers = Times::new();
    for round in 1..=rounds {
        clean.capture(|| {})?;
        let output = check.capture(|| {})?;
        eprintln!("round {round} of {rounds}");
        for timing in String::from_utf8_lossy(&output).lines().filter_map(timing) {
            let Timing {
                step,
                item,
                milliseconds,
                instances,
            } = timing;
            let times = if step == "finish_kernel" {
                &mut finals
            } else {
                &mut helpers
            };
            // The instances of an expansion share its time.
            let each = milliseconds / f64::from(instances);
            let all = std::iter::repeat_n(each, instances as usize);
            times.entry((step, item)).or_default().extend(all);
        }
    }
    if finals.is_empty() {
        return Err(BenchError::Silent);
    }
    println!(
        "{:<24} {:>9} {:>9} {:>9} {:>9}",
        "kernel, CPU time", "instances", "median ms", "least", "most"
    );
    for ((_, kernel), times) in &mut finals {
        let Spread {
            median,
            least,
            most,
        } = Spread::of(times);
        let instances = times.len() / rounds as usize;
        println!("{kernel:<24} {instances:>9} {median:>9.2} {least:>9.2} {most:>9.2}");
    }
    let mut all: Vec<f64> = finals.into_values().flatten().collect();
    let Spread {
        median,
        least,
        most,
    } = Spread::of(&mut all);
    println!(
        "\na kernel, median of {} expansions: {median:.2} ms [{least:.2}, {most:.2}]",
        all.len()
    );
    let mut steps: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for ((step, _), times) in helpers {
        steps.entry(step).or_default().extend(times);
    }
    for (step, times) in &mut steps {
        let Spread {
            median,
            least,
            most,
        } = Spread::of(times);
        println!(
            "{step}, median of {}: {median:.2} ms [{least:.2}, {most:.2}]",
            times.len()
        );
    }
    Ok(())
}

/// A line that the macros print with their feature `timings`.
#[derive(Debug, PartialEq)]
struct Timing {
    step: String,
    item: String,
    /// CPU time.
    milliseconds: f64,
    /// Instances that were compiled in it.
    instances: u32,
}

fn timing(line: &str) -> Option<Timing> {
    let mut words = line.strip_prefix("rlx-timing ")?.split(' ');
    let (step, item) = (words.next()?.to_owned(), words.next()?.to_owned());
    let nanoseconds: f64 = words.next()?.parse().ok()?;
    Some(Timing {
        step,
        item,
        milliseconds: nanoseconds / 1e6,
        instances: words.next()?.parse().ok()?,
    })
}

struct Spread {
    median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn of(times: &mut [f64]) -> Self {
        times.sort_by(f64::total_cmp);
        let at = |index: usize| times.get(index).copied().unwrap_or(f64::NAN);
        Self {
            median: at(times.len() / 2),
            least: at(0),
            most: at(times.len().saturating_sub(1)),
        }
    }
}

const MAIN: &str = "\
use rlx_kernels::prelude::*;

#[kernel(workgroup_size(256), threads(n))]
fn scale(x: &[f32], y: &mut [f32], n: u32, factor: f32) {
    let i = global_index();
    if i < n {
        y[i] = x[i] * factor;
    }
}

fn main() {
    println!(\"{}\", scale::info().wgsl);
}
";

fn build(workspace: &Workspace, rounds: u32) -> Result<(), BenchError> {
    let folder = workspace.target().join("bench-build");
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .map_err(|source| BenchError::File {
                path: path.clone(),
                source,
            })
    };
    let root = workspace.root().display();
    let crates = [
        ("kernels alone", String::new()),
        (
            "with the wgpu backend",
            format!("rlx-backends = {{ path = \"{root}/rlx-backends\" }}\n"),
        ),
    ];
    println!(
        "{:<24} {:>14} {:>9} {:>9} {:>14}",
        "crate", "cold, median s", "least", "most", "after a change"
    );
    for (title, backend) in crates {
        write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"one-kernel\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
                 rlx-kernels = {{ path = \"{root}/rlx-kernels\" }}\n{backend}\n[profile.dev.package.naga]\nopt-level = 3\n"
            ),
        )?;
        write("src/main.rs", MAIN)?;
        copy(
            &workspace.root().join("Cargo.lock"),
            &folder.join("Cargo.lock"),
        )?;
        let target = folder.join("target");
        let cargo = workspace
            .cargo()
            .within(&folder)
            .with("CARGO_TARGET_DIR", target.as_os_str())
            .args(["build", "--offline"]);
        let (mut cold, mut warm) = (Vec::new(), Vec::new());
        for round in 1..=rounds {
            if target.exists() {
                fs::remove_dir_all(&target).map_err(|source| BenchError::File {
                    path: target.clone(),
                    source,
                })?;
            }
            let start = Instant::now();
            cargo.capture(|| {})?;
            cold.push(start.elapsed().as_secs_f64());
            write("src/main.rs", &format!("{MAIN}// {round}\n"))?;
            let start = Instant::now();
            cargo.capture(|| {})?;
            warm.push(start.elapsed().as_secs_f64());
            write("src/main.rs", MAIN)?;
        }
        let (cold, warm) = (Spread::of(&mut cold), Spread::of(&mut warm));
        println!(
            "{title:<24} {:>14.1} {:>9.1} {:>9.1} {:>14.2}",
            cold.median, cold.least, cold.most, warm.median
        );
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), BenchError> {
    fs::copy(from, to)
        .map(|_| ())
        .map_err(|source| BenchError::File {
            path: to.to_owned(),
            source,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timing_line_has_step_item_nanoseconds_and_instances() {
        let line = "rlx-timing finish_kernel gemv 1500000 29";
        let expected = Timing {
            step: "finish_kernel".to_owned(),
            item: "gemv".to_owned(),
            milliseconds: 1.5,
            instances: 29,
        };
        assert_eq!(timing(line), Some(expected));
        assert_eq!(timing("warning: unused"), None);
        assert_eq!(timing("rlx-timing finish_kernel gemv soon 1"), None);
    }

    #[test]
    fn the_median_is_the_one_in_the_middle() {
        let spread = Spread::of(&mut [3.0, 1.0, 2.0]);
        assert_eq!((spread.median, spread.least, spread.most), (2.0, 1.0, 3.0));
    }
}
