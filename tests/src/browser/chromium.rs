//! A headless Chromium with a profile of its own, which ends with its owner.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::BrowserError;

/// Debian's name of the browser.
const PROGRAM: &str = "chromium";

/// WebGPU on a software adapter is unsafe in Chromium's eyes, and containers have neither a sandbox
/// for root nor much of /dev/shm. Workgroup memory is left as it is: no kernel may count on zeros
/// there, and SwiftShader takes 2 s a pipeline to clear 12 KiB. The others keep the browser from
/// looking for updates and the like.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-dawn-features=disable_workgroup_init",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--mute-audio",
];

/// How long the removal of the profile is tried.
const PATIENCE: Duration = Duration::from_secs(2);

/// As much of stderr as an error shows.
const SHOWN: usize = 4096;

pub(super) struct Chromium {
    process: Child,
    guard: Child,
    /// The profile, and stderr.
    folder: TempDir,
}

impl Chromium {
    /// Starts the browser on a page.
    pub fn start(url: &str) -> Result<Self, BrowserError> {
        let program = find().ok_or(BrowserError::NotInstalled)?;
        let folder = TempDir::new().map_err(BrowserError::Start)?;
        let stderr = File::create(folder.path().join("stderr")).map_err(BrowserError::Start)?;
        let mut profile = OsString::from("--user-data-dir=");
        profile.push(folder.path().join("profile"));
        let mut process = Command::new(program)
            .args(FLAGS)
            .arg(profile)
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .map_err(BrowserError::Start)?;
        match guard(&process) {
            Ok(guard) => Ok(Self {
                process,
                guard,
                folder,
            }),
            Err(error) => {
                end(&mut process);
                Err(BrowserError::Start(error))
            }
        }
    }

    /// How the browser ended, if it has.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.process.try_wait()
    }

    /// The end of what the browser wrote on stderr.
    pub fn stderr(&self) -> String {
        let text = fs::read(self.folder.path().join("stderr")).unwrap_or_default();
        let shown = &text[text.len().saturating_sub(SHOWN)..];
        String::from_utf8_lossy(shown).into_owned()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // The guard first: once the browser has been waited for, its number may be another's.
        end(&mut self.guard);
        end(&mut self.process);
        // The other processes of the browser, on their way out, still write into the profile.
        let start = Instant::now();
        while fs::remove_dir_all(self.folder.path())
            .is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
            && start.elapsed() < PATIENCE
        {
            thread::sleep(PATIENCE / 100);
        }
    }
}

/// A process that ends the browser when this one is gone without having done so: its input is a pipe
/// that closes then.
fn guard(browser: &Child) -> io::Result<Child> {
    let script = format!("read -r _; kill -9 {}", browser.id());
    Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Chromium's processes that render and that drive the GPU end when the first is gone.
fn end(process: &mut Child) {
    let _ = process.kill();
    let _ = process.wait();
}

fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(PROGRAM))
        .find(|program| program.is_file())
}
