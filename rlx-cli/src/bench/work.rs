//! What is measured: dispatches over numbered buffers.

use rlx_core::Precision;
use rlx_core::lower::road::Product;
use rlx_kernels::Dispatch;

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
}

impl Shape {
    /// The product of that shape.
    pub fn product(self) -> Product {
        Product::of(self.m, self.n, self.k)
    }
}

/// A buffer's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Blocks of weights, other ones in every round.
    Weights { bytes: u64 },
    /// Random numbers between -1 and 1.
    Activations { count: u64 },
    /// Random row numbers below `rows`, other ones in every round.
    Ids { count: u32, rows: u32 },
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
