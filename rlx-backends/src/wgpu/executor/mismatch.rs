//! Programs, plans and graphs that do not belong together.

use rlx_core::ValueId;

/// How a lowered graph does not fit its graph or its plan. Only a defective pass makes one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MismatchError {
    /// The program has no value for an input or output of the graph.
    #[error("the program has no value for `{name}` of the graph")]
    NoValue {
        /// The input or output.
        name: String,
    },
    /// An input or output of the graph is larger than its window.
    #[error("`{name}` has {bytes} bytes, the plan gives it {window}")]
    WindowBytes {
        /// The input or output.
        name: String,
        /// Bytes of its shape.
        bytes: u64,
        /// Bytes of its window.
        window: u64,
    },
    /// The plan has no window for a value, or one outside of every buffer.
    #[error("the plan has no window for value {value}")]
    NoWindow {
        /// The value.
        value: ValueId,
    },
    /// The plan lists a value among the weights that is no weight of the graph.
    #[error("the plan places value {value} among the weights, which the graph does not have")]
    NoWeight {
        /// The value.
        value: ValueId,
    },
    /// A weight of the program has another size than in the graph, or than its window.
    #[error(
        "weight `{name}` has {bytes} bytes in the program or in the plan, {expected} in the graph"
    )]
    WeightBytes {
        /// The tensor.
        name: String,
        /// Bytes of the program's value or of its window.
        bytes: u64,
        /// Bytes of the tensor.
        expected: u64,
    },
    /// The plan is for a program with another number of dispatches.
    #[error("the plan is for {planned} dispatches, the program has {dispatches}")]
    Dispatches {
        /// Of the plan.
        planned: usize,
        /// Of the program.
        dispatches: usize,
    },
}
