//! Kernels in a browser: a headless Chromium compiles their modules with its own compiler, Tint, runs
//! them through WebGPU on SwiftShader, and sends back what it found.
//!
//! The page asks for a device of WebGPU's default limits, with subgroups as its only feature, so
//! what works here works in every browser that has them.

mod chromium;
mod error;
mod job;
mod server;

use std::time::{Duration, Instant};

use serde::Deserialize;

use chromium::Chromium;
use server::{Event, Server};

pub use error::BrowserError;
pub use job::{Form, Job, Value};

/// How often the browser is looked at.
const TICK: Duration = Duration::from_millis(5);

/// What the browser found, in the order of the [`Job`].
#[derive(Debug, Deserialize)]
pub struct Findings {
    /// The adapter, such as `google swiftshader`.
    pub adapter: String,
    /// A finding a module.
    pub modules: Vec<ModuleFinding>,
    /// A finding a run.
    pub runs: Vec<RunFinding>,
}

/// What came of a module.
#[derive(Debug, Deserialize)]
pub struct ModuleFinding {
    /// What the compiler and the creation of the pipeline complain of, warnings included.
    pub complaints: Vec<String>,
}

/// What came of a run.
#[derive(Debug, Deserialize)]
pub struct RunFinding {
    /// Why there is no result.
    pub error: Option<String>,
    /// The result's words of four bytes.
    pub words: Vec<u32>,
}

/// Has a browser of its own do `job`, for at most `limit`.
///
/// # Errors
/// [`BrowserError`] where there is no browser or it ends, fails or takes too long; what is wrong with
/// a module or a run is a finding.
pub fn check(job: &Job, limit: Duration) -> Result<Findings, BrowserError> {
    let server = Server::new(job)?;
    let mut browser = Chromium::start(&server.url())?;
    let start = Instant::now();
    let mut stage = "the page has not been loaded".to_owned();
    loop {
        server.serve()?;
        while let Some(event) = server.event() {
            match event {
                Event::Stage(text) => stage = text,
                Event::Failure(message) => return Err(BrowserError::Page { message }),
                Event::Findings(text) => return findings(job, &text),
            }
        }
        if let Some(status) = browser.ended()? {
            let stderr = browser.stderr();
            return Err(BrowserError::Ended {
                status,
                stage,
                stderr,
            });
        }
        if start.elapsed() > limit {
            let (seconds, stderr) = (limit.as_secs(), browser.stderr());
            return Err(BrowserError::Late {
                seconds,
                stage,
                stderr,
            });
        }
        std::thread::sleep(TICK);
    }
}

fn findings(job: &Job, text: &str) -> Result<Findings, BrowserError> {
    let findings: Findings = serde_json::from_str(text)?;
    let given = [findings.modules.len(), findings.runs.len()];
    let wanted = [job.modules(), job.runs()];
    if given != wanted {
        return Err(BrowserError::Count { wanted, given });
    }
    Ok(findings)
}
