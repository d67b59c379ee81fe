//! Where this workspace and its build folder are.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

use crate::command::{Call, CommandError};

/// Why cargo did not tell where something is.
#[derive(Debug, Error)]
pub enum WorkspaceError {
    /// Cargo failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// Cargo's answer lacks a part.
    #[error("the output of `{call}` has no {part}")]
    Answer {
        /// The command line.
        call: String,
        /// What is missing.
        part: String,
    },
}

/// The workspace that `cargo xtask` was called in.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Asks cargo for the workspace of the current folder.
    ///
    /// # Errors
    /// When cargo fails, for one because there is no workspace here.
    pub fn find() -> Result<Self, WorkspaceError> {
        let call = cargo().args(["metadata", "--no-deps", "--format-version", "1"]);
        let answer = call.capture(|| {})?;
        let metadata: Value = serde_json::from_slice(&answer).unwrap_or_default();
        let path = |part: &str| {
            metadata[part]
                .as_str()
                .map(PathBuf::from)
                .ok_or_else(|| WorkspaceError::Answer {
                    call: call.to_string(),
                    part: part.to_owned(),
                })
        };
        Ok(Self {
            root: path("workspace_root")?,
            target: path("target_directory")?,
        })
    }

    /// The folder of the workspace's manifest.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of build results.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// A call of cargo in the workspace's root.
    pub fn cargo(&self) -> Call {
        cargo().within(&self.root)
    }

    /// Builds a binary of a package in release, with cargo's progress visible, and returns its
    /// path.
    ///
    /// # Errors
    /// When the build fails.
    pub fn build(&self, package: &str, binary: &str) -> Result<PathBuf, WorkspaceError> {
        let call = self
            .cargo()
            .args(["build", "--release", "--package", package, "--bin", binary])
            .arg("--message-format=json-render-diagnostics");
        let messages = call.read()?;
        executable(&messages, binary).ok_or_else(|| WorkspaceError::Answer {
            call: call.to_string(),
            part: format!("executable for the binary {binary}"),
        })
    }
}

/// The path of `binary` in cargo's messages, one JSON object a line.
fn executable(messages: &[u8], binary: &str) -> Option<PathBuf> {
    messages
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == binary)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// The cargo that runs this program.
fn cargo() -> Call {
    Call::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))).named("cargo")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_that_of_the_named_binary() {
        let messages = br#"{"reason":"compiler-artifact","target":{"name":"rlx"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"other"},"executable":"/t/other"}
no message
{"reason":"compiler-artifact","target":{"name":"rlx"},"executable":"/t/release/rlx"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            executable(messages, "rlx"),
            Some(PathBuf::from("/t/release/rlx"))
        );
        assert_eq!(executable(messages, "absent"), None);
    }
}
