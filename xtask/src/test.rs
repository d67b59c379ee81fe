//! `cargo xtask test`: everything that CI checks, in the order of what fails soonest.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use thiserror::Error;

use crate::command::{Call, CommandError};
use crate::driver::{self, DriverError, PACKAGES};
use crate::model::{self, ModelError, SMOLLM2};
use crate::packages::PackagesError;
use crate::workspace::{Workspace, WorkspaceError};

/// What to check.
#[derive(Debug, Args)]
pub struct Options {
    /// Run only the tests whose name contains TEXT, and none of the other checks.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
}

/// Why a check, and with it the chore, failed.
#[derive(Debug, Error)]
pub enum TestError {
    /// Cargo does not know the workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A check failed.
    #[error("the check \"{title}\" failed after {seconds:.1} s: {source}")]
    Check {
        /// The check.
        title: &'static str,
        /// How long it took.
        seconds: f64,
        /// Why.
        source: CheckError,
    },
}

/// Why a check failed.
#[derive(Debug, Error)]
pub enum CheckError {
    /// A command failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// What should be the model that tests run is not.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There is nothing to run the kernels on.
    #[error(
        "{source}\nThe tests run every kernel on a Vulkan adapter; a software adapter will do. To get \
         one: `cargo xtask demo`, or `sudo apt-get install {}`", PACKAGES.join(" ")
    )]
    Driver {
        /// What is missing.
        source: DriverError,
    },
    /// Snapshots wait for a decision.
    #[error("these snapshots are pending; accept or reject them with `cargo insta review`:{}", list(.0))]
    Pending(Vec<PathBuf>),
}

/// The module of the tests that run a whole model. They are left out where it cannot be had.
const MODEL_TESTS: &str = "with_a_model::";

type Check = (
    &'static str,
    fn(&Workspace, &Options) -> Result<(), CheckError>,
);

const ADAPTER: Check = ("adapter", adapter);
const TESTS: Check = ("tests", tests);
const ALL: [Check; 7] = [
    ("format", format),
    ("clippy", clippy),
    ADAPTER,
    TESTS,
    ("doc tests", doc_tests),
    ("snapshots", snapshots),
    ("docs", docs),
];

/// The module of the tests that run kernels in a browser. Without one they fail, so they are left out
/// then.
const BROWSER_TESTS: &str = "in_chromium::";

/// What is told where those tests are left out.
const WITHOUT_BROWSER: &str = "the kernels were not tried in a browser: no `chromium` starts on this machine; to get \
     it: `sudo apt-get install --no-install-recommends chromium`";

/// Runs the checks.
///
/// # Errors
/// At the first check that fails.
pub fn run(options: &Options) -> Result<(), TestError> {
    let workspace = Workspace::find()?;
    let checks: &[Check] = match &options.filter {
        Some(_) => &[ADAPTER, TESTS],
        None => &ALL,
    };
    let start = Instant::now();
    for (index, (title, check)) in checks.iter().enumerate() {
        println!("[{}/{}] {title}", index + 1, checks.len());
        let start = Instant::now();
        let done = check(&workspace, options);
        let seconds = start.elapsed().as_secs_f64();
        done.map_err(|source| TestError::Check {
            title,
            seconds,
            source,
        })?;
        println!("  good, {seconds:.1} s\n");
    }
    let seconds = start.elapsed().as_secs_f64();
    match &options.filter {
        None => println!("all {} checks passed in {seconds:.1} s", checks.len()),
        Some(text) => {
            println!("the tests named *{text}* passed in {seconds:.1} s; nothing else was checked");
        }
    }
    if !has_browser() {
        println!("left out: {WITHOUT_BROWSER}");
    }
    Ok(())
}

fn format(workspace: &Workspace, _: &Options) -> Result<(), CheckError> {
    let rustfmt = Call::new("rustfmt")
        .args(["--check", "--edition", "2024"])
        .within(workspace.root());
    // `cargo fmt` follows module declarations, and so misses those inside macros.
    let rustfmt = match tracked_sources(workspace.root()) {
        Some(sources) => rustfmt.args(sources).shown_with(
            "--check --edition 2024 $(git ls-files -co --exclude-standard '*.rs' ':!tests/ui')",
        ),
        None => rustfmt.args(sources_below(workspace.root(), workspace.target())),
    };
    Ok(rustfmt.run()?)
}

/// The Rust sources that git tracks or would, or nothing where there is no git or no repository.
fn tracked_sources(root: &Path) -> Option<Vec<OsString>> {
    let listing = Call::new("git")
        .args(["ls-files", "-z", "-co", "--exclude-standard"])
        .args(["--", "*.rs", ":!tests/ui"])
        .within(root)
        .capture(|| {})
        .ok()?;
    let listing = String::from_utf8(listing).ok()?;
    Some(
        listing
            .split('\0')
            // A file that is deleted and not yet committed is still listed.
            .filter(|path| !path.is_empty() && root.join(path).is_file())
            .map(OsString::from)
            .collect(),
    )
}

fn sources_below(root: &Path, target: &Path) -> Vec<PathBuf> {
    let ui = root.join("tests/ui");
    files_below(root, &[target, &ui])
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| Some(path.strip_prefix(root).ok()?.to_owned()))
        .collect()
}

fn clippy(workspace: &Workspace, _: &Options) -> Result<(), CheckError> {
    Ok(workspace
        .cargo()
        .args(["clippy", "--workspace", "--all-targets", "--locked"])
        .args(["--", "-D", "warnings"])
        .run()?)
}

fn adapter(_: &Workspace, _: &Options) -> Result<(), CheckError> {
    if !driver::is_needed() {
        println!("  this system brings its own GPU interface");
        return Ok(());
    }
    let drivers = driver::find().map_err(|source| CheckError::Driver { source })?;
    println!("  {drivers}");
    Ok(())
}

fn tests(workspace: &Workspace, options: &Options) -> Result<(), CheckError> {
    let cargo = test_environment(workspace);
    let has_nextest = workspace.cargo().args(["nextest", "--version"]).succeeds();
    let cargo = if has_nextest {
        cargo.args(["nextest", "run", "--workspace", "--locked"])
    } else {
        cargo.args(["test", "--workspace", "--locked"]).args([
            "--lib",
            "--bins",
            "--tests",
            "--examples",
        ])
    };
    let cargo = cargo.args(&options.filter);
    let mut skipped = Vec::new();
    if !has_browser() {
        println!("  left out: {WITHOUT_BROWSER}");
        skipped.push(BROWSER_TESTS);
    }
    let cargo = match models()? {
        Ok(folder) => cargo.with("RLX_MODELS", folder),
        Err(why) => {
            println!("  left out: no whole model was run: {why}");
            skipped.push(MODEL_TESTS);
            cargo
        }
    };
    let skips = skipped.iter().flat_map(|tests| ["--skip", tests]);
    let cargo = if skipped.is_empty() {
        cargo
    } else {
        cargo.arg("--").args(skips)
    };
    Ok(cargo.run()?)
}

/// The folder with the model that tests run, fetched where it is not there yet; or why it cannot be had.
fn models() -> Result<Result<PathBuf, String>, ModelError> {
    let cache = model::default_cache()?;
    if SMOLLM2.cached(&cache)?.is_some() {
        return Ok(Ok(cache));
    }
    println!("  fetching {}", SMOLLM2.title);
    // Tests install nothing.
    match SMOLLM2.fetch(&cache, Err(&PackagesError::Forbidden)) {
        Ok(_) => Ok(Ok(cache)),
        Err(error) if error.is_unavailable() => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}

fn has_browser() -> bool {
    Call::new("chromium").arg("--version").succeeds()
}

fn doc_tests(workspace: &Workspace, _: &Options) -> Result<(), CheckError> {
    Ok(test_environment(workspace)
        .args(["test", "--workspace", "--locked", "--doc"])
        .run()?)
}

/// Cargo, where a snapshot that is missing or differs fails instead of being written.
fn test_environment(workspace: &Workspace) -> Call {
    let width = env::var("LP_NATIVE_VECTOR_WIDTH").ok();
    workspace
        .cargo()
        .with("CI", "1")
        .with("INSTA_UPDATE", "no")
        .without("INSTA_FORCE_PASS")
        .without("INSTA_FORCE_UPDATE")
        .without("TRYBUILD")
        .with(
            "MESA_SHADER_CACHE_DIR",
            workspace.target().join(shader_cache(width.as_deref())),
        )
}

/// Mesa's shader cache is not keyed by lavapipe's vector width: code of one width, found under
/// another, gives wrong subgroup results.
fn shader_cache(vector_width: Option<&str>) -> String {
    match vector_width {
        Some(width) => format!("mesa-shader-cache-{width}"),
        None => "mesa-shader-cache".to_owned(),
    }
}

fn snapshots(workspace: &Workspace, _: &Options) -> Result<(), CheckError> {
    let pending = pending_snapshots(workspace.root(), workspace.target());
    if pending.is_empty() {
        return Ok(());
    }
    Err(CheckError::Pending(pending))
}

fn pending_snapshots(root: &Path, target: &Path) -> Vec<PathBuf> {
    files_below(root, &[target])
        .into_iter()
        .filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".snap.new") || name.ends_with(".pending-snap")
        })
        .collect()
}

fn docs(workspace: &Workspace, _: &Options) -> Result<(), CheckError> {
    Ok(workspace
        .cargo()
        .args(["doc", "--workspace", "--no-deps", "--locked"])
        .with("RUSTDOCFLAGS", "-Dwarnings")
        .run()?)
}

/// The files below `folder` by path, without those in git's own folder, in a folder named target or
/// in one of `except`.
fn files_below(folder: &Path, except: &[&Path]) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.path();
        // A link may lead back up.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder {
            files.push(path);
        } else if entry.file_name() != ".git"
            && entry.file_name() != "target"
            && !except.contains(&path.as_path())
        {
            files.extend(files_below(&path, except));
        }
    }
    files
}

fn list(paths: &[PathBuf]) -> String {
    let lines: Vec<String> = paths
        .iter()
        .map(|path| format!("\n  {}", path.display()))
        .collect();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn tree(files: &[&str]) -> TempDir {
        let root = TempDir::new().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn without_git_all_sources_are_formatted_but_build_results_and_ui_tests() {
        let root = tree(&[
            "a/src/lib.rs",
            "a/src/lib.md",
            "target/x.rs",
            "built/y.rs",
            "tests/ui/wrong.rs",
            "tests/ui.rs",
        ]);
        let sources = sources_below(root.path(), &root.path().join("built"));
        assert_eq!(
            sources,
            [Path::new("a/src/lib.rs"), Path::new("tests/ui.rs")]
        );
    }

    #[test]
    fn pending_snapshots_are_found_wherever_they_are() {
        let root = tree(&[
            "snapshots/a.snap",
            "snapshots/a.snap.new",
            "b/src/.lib.rs.pending-snap",
            "target/c.snap.new",
        ]);
        let pending = pending_snapshots(root.path(), &root.path().join("target"));
        assert_eq!(
            pending,
            [
                root.path().join("b/src/.lib.rs.pending-snap"),
                root.path().join("snapshots/a.snap.new")
            ]
        );
        let message = CheckError::Pending(pending).to_string();
        assert!(message.contains("snapshots/a.snap.new"), "{message}");
    }

    #[test]
    fn each_vector_width_has_its_own_shader_cache() {
        assert_eq!(shader_cache(None), "mesa-shader-cache");
        assert_eq!(shader_cache(Some("128")), "mesa-shader-cache-128");
    }

    #[test]
    fn a_missing_adapter_is_told_with_the_way_to_one() {
        let error = CheckError::Driver {
            source: DriverError::NoLoader,
        };
        let message = error.to_string();
        assert!(message.contains("libvulkan.so.1"), "{message}");
        assert!(message.contains("`cargo xtask demo`"), "{message}");
        assert!(
            message.contains("`sudo apt-get install mesa-vulkan-drivers libvulkan1`"),
            "{message}"
        );
    }
}
