//! Progress on a terminal; nothing where there is none, since every step also prints plain lines.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};

const BYTES: &str = "  {wide_bar} {bytes}/{total_bytes} {bytes_per_sec}";
const SPINNER: &str = "  {spinner} {elapsed}";

/// A bar or spinner on standard error that vanishes when dropped.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar over `total` bytes.
    pub fn bytes(total: u64) -> Self {
        Self::begin(ProgressBar::new(total), BYTES, io::stderr().is_terminal())
    }

    /// A spinner, for work of unknown length.
    pub fn spinner() -> Self {
        Self::begin(
            ProgressBar::new_spinner(),
            SPINNER,
            io::stderr().is_terminal(),
        )
    }

    fn begin(bar: ProgressBar, template: &str, terminal: bool) -> Self {
        if !terminal {
            return Self(ProgressBar::hidden());
        }
        Self(match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        })
    }

    /// Shows that `bytes` are done, at most the total.
    pub fn set(&self, bytes: u64) {
        self.0
            .set_position(bytes.min(self.0.length().unwrap_or(bytes)));
    }

    /// Turns the spinner.
    pub fn tick(&self) {
        self.0.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressDrawTarget;

    use super::*;

    #[test]
    fn without_a_terminal_nothing_is_drawn() {
        let progress = Progress::begin(ProgressBar::new(10), BYTES, false);
        progress.set(5);
        progress.tick();
        assert!(progress.0.is_hidden());
    }

    #[test]
    fn the_position_does_not_pass_the_total() {
        let bar = ProgressBar::with_draw_target(Some(10), ProgressDrawTarget::hidden());
        let progress = Progress::begin(bar, BYTES, true);
        progress.set(25);
        assert_eq!(progress.0.position(), 10);
    }

    #[test]
    fn the_templates_are_valid() {
        for template in [BYTES, SPINNER] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
