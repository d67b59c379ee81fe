//! The lowered graph: dispatches over values that have no place in memory yet.

use rlx_kernels::Dispatch;

use crate::graph::ValueId;

/// What a run consists of, in order. [`ValueId`] `i` is `values[i]`, whatever value of the graph it
/// came from.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Everything that a dispatch binds.
    pub values: Vec<ProgramValue>,
    /// The kernels' runs, in order.
    pub dispatches: Vec<Dispatch<ValueId>>,
    /// The values that the caller writes before each run, by name.
    pub inputs: Vec<(String, ValueId)>,
    /// The values that the caller reads after each run, by name.
    pub outputs: Vec<(String, ValueId)>,
}

/// One value of a [`Program`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramValue {
    /// Bytes, without padding.
    pub bytes: u64,
    /// Where its content comes from.
    pub kind: ValueKind,
    /// The value in whose window this one lives: written in place of it, or, if no dispatch writes
    /// it, a view of it.
    pub alias_of: Option<ValueId>,
}

/// Where a value's content comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// The caller, before each run.
    Input,
    /// The weights, once.
    Weight {
        /// The tensor's name.
        name: String,
        /// The first of the tensor's bytes that it holds: what passes a device's limits is several values.
        from: u64,
    },
    /// Earlier runs; zeros before the first.
    State {
        /// The state's name.
        name: String,
    },
    /// A dispatch.
    Temporary,
}
