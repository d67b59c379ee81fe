//! Running other programs, each shown as it would be typed.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::Duration;

use thiserror::Error;

/// How often a running program's progress is looked at.
const TICK: Duration = Duration::from_millis(100);

/// Why a program did not do its work.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The program could not be started, most often because it is not installed.
    #[error("`{call}` could not be started: {source}")]
    Start {
        /// The command line.
        call: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The program, whose output was visible, failed.
    #[error("this command failed ({status}):\n  {call}")]
    Failed {
        /// The command line.
        call: String,
        /// Its exit status.
        status: ExitStatus,
    },
    /// The program, whose output was kept, failed.
    #[error("`{call}` failed ({status}): {last_line}")]
    FailedSaying {
        /// The command line.
        call: String,
        /// Its exit status.
        status: ExitStatus,
        /// The last line that it wrote.
        last_line: String,
    },
}

impl CommandError {
    /// The reason alone, for where the command line has been shown.
    pub fn reason(&self) -> String {
        match self {
            Self::Start { source, .. } => source.to_string(),
            Self::Failed { status, .. } => status.to_string(),
            Self::FailedSaying { last_line, .. } => last_line.clone(),
        }
    }
}

/// A command line with its environment, not yet run. Displays as a shell would take it.
#[derive(Clone, Debug)]
pub struct Call {
    program: OsString,
    shown_program: Option<String>,
    arguments: Vec<OsString>,
    shown_arguments: Option<String>,
    variables: Vec<(&'static str, Option<OsString>)>,
    folder: Option<PathBuf>,
}

impl Call {
    /// A call of `program` without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            shown_program: None,
            arguments: Vec::new(),
            shown_arguments: None,
            variables: Vec::new(),
            folder: None,
        }
    }

    /// Shows `name` in place of the program's path.
    pub fn named(mut self, name: &str) -> Self {
        self.shown_program = Some(name.to_owned());
        self
    }

    /// Shows `text` in place of the arguments.
    pub fn shown_with(mut self, text: &str) -> Self {
        self.shown_arguments = Some(text.to_owned());
        self
    }

    /// Adds one argument.
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    pub fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    pub fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, Some(value.into())));
        self
    }

    /// Removes an environment variable.
    pub fn without(mut self, name: &'static str) -> Self {
        self.variables.push((name, None));
        self
    }

    /// Runs the call in `folder`.
    pub fn within(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Prints the call, then runs it with its output visible.
    ///
    /// # Errors
    /// When it cannot be started, or fails.
    pub fn run(&self) -> Result<(), CommandError> {
        println!("$ {self}");
        let status = self
            .command()
            .status()
            .map_err(|source| self.not_started(source))?;
        if status.success() {
            return Ok(());
        }
        Err(CommandError::Failed {
            call: self.to_string(),
            status,
        })
    }

    /// Runs the call silently and returns what it wrote to its standard output; calls `tick` now
    /// and then meanwhile.
    ///
    /// # Errors
    /// When it cannot be started, or fails.
    pub fn capture(&self, tick: impl FnMut()) -> Result<Vec<u8>, CommandError> {
        let output = self.output(Stdio::piped(), tick)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(CommandError::FailedSaying {
            call: self.to_string(),
            status: output.status,
            last_line: last_line(&output),
        })
    }

    /// Prints the call, runs it with its errors visible, and returns what it wrote to its standard
    /// output.
    ///
    /// # Errors
    /// When it cannot be started, or fails.
    pub fn read(&self) -> Result<Vec<u8>, CommandError> {
        println!("$ {self}");
        let output = self.output(Stdio::inherit(), || {})?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(CommandError::Failed {
            call: self.to_string(),
            status: output.status,
        })
    }

    /// Whether the call, run silently, succeeds.
    pub fn succeeds(&self) -> bool {
        self.capture(|| {}).is_ok()
    }

    fn output(&self, errors: Stdio, mut tick: impl FnMut()) -> Result<Output, CommandError> {
        let child = self
            .command()
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|source| self.not_started(source))?;
        let (send, receive) = std::sync::mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || send.send(child.wait_with_output()));
            loop {
                match receive.recv_timeout(TICK) {
                    Ok(output) => return output,
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => tick(),
                    Err(error) => return Err(io::Error::other(error)),
                }
            }
        })
        .map_err(|source| self.not_started(source))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::null());
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    fn not_started(&self, source: io::Error) -> CommandError {
        CommandError::Start {
            call: self.to_string(),
            source,
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            if let Some(value) = value {
                write!(out, "{name}={} ", quoted(value))?;
            }
        }
        match &self.shown_program {
            Some(name) => out.write_str(name)?,
            None => out.write_str(&quoted(&self.program))?,
        }
        match &self.shown_arguments {
            Some(text) => write!(out, " {text}"),
            None => self
                .arguments
                .iter()
                .try_for_each(|argument| write!(out, " {}", quoted(argument))),
        }
    }
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn last_line(output: &Output) -> String {
    [&output.stderr, &output.stdout]
        .into_iter()
        .find_map(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            let line = text.lines().rfind(|line| !line.trim().is_empty())?;
            Some(line.trim().to_owned())
        })
        .unwrap_or_else(|| "it wrote nothing".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_as_a_shell_takes_it() {
        let call = Call::new("cargo")
            .args(["doc", "a b", "it's", ""])
            .with("RUSTDOCFLAGS", "-D warnings")
            .without("CI");
        assert_eq!(
            call.to_string(),
            r"RUSTDOCFLAGS='-D warnings' cargo doc 'a b' 'it'\''s' ''"
        );
    }

    #[test]
    fn a_named_call_shows_the_name_and_the_arguments_it_was_given() {
        let call = Call::new("/long/rlx").arg("x").named("rlx");
        assert_eq!(call.to_string(), "rlx x");
        assert_eq!(call.shown_with("$(files)").to_string(), "rlx $(files)");
    }

    #[test]
    fn a_captured_failure_tells_the_last_line_of_standard_error() {
        let call = Call::new("sh").args(["-c", "echo out; echo first >&2; echo last >&2; exit 3"]);
        let error = call.capture(|| {}).unwrap_err().to_string();
        assert!(error.ends_with("(exit status: 3): last"), "{error}");
    }

    #[test]
    fn a_visible_failure_repeats_the_command() {
        let error = Call::new("sh")
            .args(["-c", "exit 4"])
            .run()
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "this command failed (exit status: 4):\n  sh -c 'exit 4'"
        );
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Call::new("no-such-program").run().unwrap_err().to_string();
        assert!(
            error.starts_with("`no-such-program` could not be started: "),
            "{error}"
        );
    }
}
