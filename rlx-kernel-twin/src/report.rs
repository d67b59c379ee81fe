//! What a run found.

use std::fmt;

use crate::finding::{Check, Finding, Invocation, Source};
use crate::machine;
use crate::options::Level;
use crate::program::Kind;

/// What a run found, and what it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What is wrong, in the order in which it was found; each place once.
    pub findings: Vec<Finding>,
    /// The values that the kernel's `trace!` showed.
    pub traces: Vec<Trace>,
    /// How far other devices may lie, where the options ask for [`bounds`](crate::SimOptions::bounds):
    /// one for each output, of the first run.
    pub bounds: Vec<Bounds>,
    /// The comparisons that these bounds take for decided, in the order of the source.
    pub undecided: Vec<Undecided>,
    /// Instructions, times the invocations that took part in them, over all runs.
    pub steps: u64,
    /// Runs: subgroup sizes times orders.
    pub runs: u32,
}

/// How far the results of any other device that keeps to WGSL's accuracies may lie from the twin's.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The output.
    pub binding: String,
    /// What it holds.
    pub kind: Kind,
    /// The distance of each word (of each half of an `f16` output); infinite where there is no bound.
    pub distances: Vec<f64>,
}

/// A comparison that another device may decide otherwise, because its operands are no farther from
/// one another than they are known: the [`Bounds`] hold for devices that decide as the twin does.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided {
    /// Where.
    pub at: Source,
    /// The first invocation that came there.
    pub who: Invocation,
    /// What it compared.
    pub operands: [f64; 2],
    /// How far their difference may lie from that on another device.
    pub distance: f64,
    /// How often it happened there.
    pub count: u64,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            at,
            who,
            operands: [a, b],
            distance,
            count,
        } = self;
        write!(
            f,
            "[{at}] {who} compares {a:?} with {b:?}, whose difference is known to {distance:e}"
        )?;
        match count {
            1 => Ok(()),
            _ => write!(f, "; {count} times in this run"),
        }
    }
}

/// A value that a kernel's `trace!` showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The author's expression.
    pub what: String,
    /// The value, as Rust prints it.
    pub value: String,
    /// Whose.
    pub who: Invocation,
    /// Where.
    pub at: Source,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            value,
            who,
            at,
        } = self;
        write!(f, "[{at}] {who}: {what} = {value}")
    }
}

/// A traced value as it is shown: of the bits of a scalar, or of a vector's components, the low word
/// first.
pub fn shown(kind: Kind, words: &[u32]) -> String {
    machine::shown(kind, words)
}

impl Report {
    /// Whether nothing is wrong that the options call an error.
    pub fn is_clean(&self) -> bool {
        self.errors().next().is_none()
    }

    /// What the options call an error.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.level == Level::Error)
    }

    /// Findings of one kind.
    pub fn of(&self, check: Check) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(move |finding| finding.check == check)
    }

    /// The assertion of a test: that nothing is wrong.
    ///
    /// # Panics
    /// With the findings, where [`Self::is_clean`] is false. This is for tests alone.
    #[track_caller]
    pub fn assert_clean(&self) {
        assert!(self.is_clean(), "the twin found:\n\n{self}");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for trace in &self.traces {
            writeln!(f, "{trace}")?;
        }
        for finding in &self.findings {
            writeln!(f, "{finding}\n")?;
        }
        let (findings, runs) = (self.findings.len(), self.runs);
        let many = |count: usize| if count == 1 { "" } else { "s" };
        write!(
            f,
            "{findings} finding{} in {runs} run{}, {} invocation-steps",
            many(findings),
            many(runs as usize),
            self.steps
        )
    }
}
