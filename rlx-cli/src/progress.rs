//! What is going on, on a terminal alone.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

/// A line that says what is going on; it goes when this is dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// A line on the standard error, where that is a terminal.
    pub fn of(what: &'static str) -> Self {
        let bar = ProgressBar::new_spinner();
        if !io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// What is going on from now on.
    pub fn next(&self, what: &'static str) {
        self.0.set_message(what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
