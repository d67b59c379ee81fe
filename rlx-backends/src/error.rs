//! Why a graph cannot be compiled or run.

use crate::wgpu::{DeviceError, MismatchError};
use rlx_core::{
    DType, LowerError, PlanError, Shape, ShapeError, ValueId, VerifyError, WeightsError,
};

/// Why a graph cannot be compiled or run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BackendError {
    /// The graph is not legal.
    #[error(transparent)]
    Graph(#[from] VerifyError),
    /// A shape is too large.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An op has no kernel, or no dispatch.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The lowered graph has no memory plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A weight cannot be had.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A weight's bytes are not those of its shape and format.
    #[error(
        "weight `{name}` of shape {shape} in {format} takes {expected} bytes, {found} were given"
    )]
    WeightBytes {
        /// The tensor.
        name: String,
        /// Its shape in the graph.
        shape: Shape,
        /// Its format in the graph.
        format: &'static str,
        /// The bytes that these take.
        expected: u64,
        /// The bytes that there are.
        found: u64,
    },
    /// A state has another shape in a graph that is compiled with this one.
    #[error("state `{name}` of shape {shape} has another shape in a graph that shares it")]
    StateShape {
        /// The state.
        name: String,
        /// Its shape in the later graph.
        shape: Shape,
    },
    /// The graph has no input of that name.
    #[error("the graph has no input `{name}`; its inputs are {inputs}")]
    UnknownInput {
        /// What was given.
        name: String,
        /// The graph's inputs.
        inputs: String,
    },
    /// An input was not given.
    #[error("input `{name}`, {dtype} of shape {shape}, was not given")]
    MissingInput {
        /// The input.
        name: String,
        /// Its dtype.
        dtype: DType,
        /// Its shape.
        shape: Shape,
    },
    /// An input was given twice.
    #[error("input `{name}` was given twice")]
    DuplicateInput {
        /// The input.
        name: String,
    },
    /// An input has another shape than the graph says.
    #[error("input `{name}` has shape {expected}, a tensor of shape {found} was given")]
    InputShape {
        /// The input.
        name: String,
        /// The graph's shape.
        expected: Shape,
        /// The tensor's.
        found: Shape,
    },
    /// An input has another dtype than the graph says.
    #[error("input `{name}` is {expected}, a tensor of {found} was given")]
    InputDtype {
        /// The input.
        name: String,
        /// The graph's dtype.
        expected: DType,
        /// The tensor's.
        found: DType,
    },
    /// A tensor holds more or fewer elements than its shape says.
    #[error("input `{name}` of shape {shape} has {expected} elements, the tensor holds {found}")]
    InputLength {
        /// The input.
        name: String,
        /// The tensor's shape.
        shape: Shape,
        /// Elements of that shape.
        expected: u64,
        /// Elements that there are.
        found: u64,
    },
    /// The id of a row or of an expert is not below their number.
    #[error("{node} = {op}: ids[{position}] is {id}, the weight has {rows} {of}")]
    RowId {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// Which id, from 0.
        position: usize,
        /// The id.
        id: u32,
        /// Rows or experts of the weight.
        rows: u64,
        /// Which of them.
        of: &'static str,
    },
    /// The host has no memory for a value.
    #[error("there is no memory for the {bytes} bytes of {what}")]
    Memory {
        /// The value.
        what: String,
        /// Its bytes.
        bytes: u64,
    },
    /// The wgpu device refused or failed.
    #[error(transparent)]
    Wgpu(#[from] DeviceError),
    /// A lowered graph and what it is run with do not belong together: a defect of a pass.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
    /// The device failed.
    #[error("{operation} failed on the device: {reason}")]
    Device {
        /// What was being done.
        operation: String,
        /// What the device said.
        reason: String,
    },
}
