//! The chores of this workspace, run as `cargo xtask`.

mod bench;
mod command;
mod conformance;
mod demo;
mod driver;
mod model;
mod packages;
mod progress;
mod test;
mod wheel;
mod workspace;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The chores of this workspace")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Shows what rlx does on this machine: finds or installs a Vulkan driver, fetches a small
    /// model, builds rlx and runs it.
    Demo(demo::Options),
    /// Measures what the macros cost those who build kernels.
    Bench(bench::Options),
    /// Holds every product of the whole grid of shapes to f64, on every backend: hours on a software
    /// adapter.
    Conformance(conformance::Options),
    /// Runs everything that CI checks, up to the first failure.
    Test(test::Options),
}

fn main() -> ExitCode {
    let done: Result<(), Box<dyn Error>> = match Arguments::parse().chore {
        Chore::Demo(options) => demo::run(&options).map_err(Into::into),
        Chore::Bench(options) => bench::run(&options).map_err(Into::into),
        Chore::Conformance(options) => conformance::run(&options).map_err(Into::into),
        Chore::Test(options) => test::run(&options).map_err(Into::into),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
