//! What is measured: dispatches over numbered buffers.

use std::fmt;

use rlx_core::Precision;
use rlx_core::lower::road::{Experts, Product};
use rlx_kernels::Dispatch;
use serde::Serialize;

use super::check::Check;

/// Rows of activations, rows of the weight, weights a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of activations; ids of a gather.
    pub m: u32,
    /// Rows of the weight.
    pub n: u32,
    /// Weights a row.
    pub k: u32,
    /// The experts among which each row chooses.
    pub experts: Option<Choice>,
}

/// Some of the experts, for each row of activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// How many there are, with `n` rows of weights each.
    pub experts: u32,
    /// How many a row of activations uses.
    pub used: u32,
}

impl Choice {
    /// How many experts are expected to be used by one of `m` rows at least, each of which chooses at random.
    pub fn distinct(self, m: u32) -> f64 {
        let Self { experts, used } = self;
        let experts = f64::from(experts);
        let unused = (1.0 - f64::from(used) / experts).powf(f64::from(m));
        experts * (1.0 - unused)
    }
}

impl Shape {
    /// A shape without experts.
    pub const fn of(m: u32, n: u32, k: u32) -> Self {
        let experts = None;
        Self { m, n, k, experts }
    }

    /// The product of that shape.
    pub fn product(self) -> Product {
        let of = |Choice { experts, used }| Experts::all(experts, self.m * used);
        Product {
            m: self.m,
            n: self.n,
            k: self.k,
            experts: self.experts.map(of),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { m, n, k, experts } = self;
        write!(f, "m = {m}, n = {n}, k = {k}")?;
        match experts {
            Some(Choice { experts, used }) => write!(f, ", {used} of {experts} experts"),
            None => Ok(()),
        }
    }
}

/// A buffer's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Blocks of weights, other ones in every round.
    Weights { bytes: u64 },
    /// Random numbers between -1 and 1.
    Activations { count: u64 },
    /// Random numbers below `rows`, other ones in every round; those of a group, of which there are `groups`,
    /// differ.
    Ids { groups: u32, each: u32, rows: u32 },
    /// What kernels write: one for all rounds, so that each round waits for the one before, as in decode.
    Written { bytes: u64 },
}

/// One way to do one op at one shape.
pub struct Work {
    /// The name of the way.
    pub road: &'static str,
    /// The buffers that `dispatches` bind by number.
    pub buffers: Vec<Content>,
    /// A round, in order.
    pub dispatches: Vec<Dispatch<usize>>,
    /// What a round amounts to.
    pub amount: Amount,
    /// The precision that it keeps.
    pub keeps: Precision,
    /// Looks at what a round has computed.
    pub check: Option<Check>,
}

/// What a round amounts to, whatever the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// Bytes of weights that are read.
    pub weights: u64,
    /// Bytes that must be read or written at least: weights, activations and results.
    pub moved: u64,
    /// Multiplications and additions; none where the op is not about arithmetic.
    pub operations: Option<f64>,
}

impl Work {
    /// The labels of its kernels.
    pub fn kernels(&self) -> Vec<String> {
        let labels = self.dispatches.iter();
        labels.map(|dispatch| dispatch.kernel.label()).collect()
    }
}
