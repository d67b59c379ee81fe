//! Why a browser gave no findings.

use std::io;
use std::process::ExitStatus;

/// Why a browser gave no findings.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// There is no browser.
    #[error(
        "there is no `chromium` on the PATH; to get it: `sudo apt-get install --no-install-recommends chromium`"
    )]
    NotInstalled,
    /// The browser could not be started.
    #[error("chromium could not be started: {0}")]
    Start(io::Error),
    /// The page could not be served or the browser not be watched.
    #[error("the page cannot be served on 127.0.0.1: {0}")]
    Serve(#[from] io::Error),
    /// The browser ended by itself.
    #[error("chromium ended ({status}); {stage}. It wrote:\n{stderr}")]
    Ended {
        /// How.
        status: ExitStatus,
        /// How far the page had come.
        stage: String,
        /// The end of what it wrote on stderr.
        stderr: String,
    },
    /// The browser took too long and was ended.
    #[error("chromium was not done after {seconds} s; {stage}. It wrote:\n{stderr}")]
    Late {
        /// The limit.
        seconds: u64,
        /// How far the page had come.
        stage: String,
        /// The end of what it wrote on stderr.
        stderr: String,
    },
    /// The page gave up.
    #[error("the page in chromium failed: {message}")]
    Page {
        /// What it says.
        message: String,
    },
    /// The job or the findings are no JSON of the agreed form.
    #[error("the job or its findings: {0}")]
    Json(#[from] serde_json::Error),
    /// The page left something out.
    #[error("of {wanted:?} modules and runs, the page reported {given:?}")]
    Count {
        /// Modules and runs of the job.
        wanted: [usize; 2],
        /// Modules and runs reported.
        given: [usize; 2],
    },
}
