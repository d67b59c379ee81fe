//! `cargo xtask conformance`: every product of the grid, on every backend.

use clap::Args;
use thiserror::Error;

use crate::command::CommandError;
use crate::driver::{self, DriverError};
use crate::workspace::{Workspace, WorkspaceError};

/// What to hold to the grid.
#[derive(Debug, Args)]
pub struct Options {
    /// Only products whose name contains TEXT: `adapter::`, `q4_k`, `with_k_256`
    #[arg(value_name = "TEXT")]
    filter: Option<String>,
    /// Products at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Names the products, and computes none
    #[arg(long)]
    list: bool,
}

/// Why the grid was not held.
#[derive(Debug, Error)]
pub enum ConformanceError {
    /// Cargo does not know the workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// There is nothing to run the kernels on.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// A product was wrong, or none could be computed.
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// Computes the products, optimised.
///
/// # Errors
/// Where one of them is wrong, after all of them.
pub fn run(options: &Options) -> Result<(), ConformanceError> {
    let workspace = Workspace::find()?;
    if driver::is_needed() && !options.list {
        println!("{}", driver::find()?);
    }
    let mut call = workspace
        .cargo()
        .args(["test", "--release", "--locked", "-p", "rlx-conformance"])
        .args(["--test", "products", "--"])
        .with("RLX_PRODUCTS", "all");
    if let Some(filter) = &options.filter {
        call = call.args([filter]);
    }
    if let Some(threads) = options.threads {
        call = call.args(["--test-threads", &threads.to_string()]);
    }
    if options.list {
        call = call.args(["--list"]);
    }
    Ok(call.run()?)
}
