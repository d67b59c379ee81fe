//! Why a node cannot be added to a graph.

use std::fmt;

use crate::graph::{MAX_REGION_INPUTS, ValueId};
use crate::shape::{Shape, ShapeError};

/// Why a node cannot be added to a graph.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// The graph has no such value.
    #[error("there is no value {value} in a graph of {nodes} nodes")]
    NoSuchValue {
        /// The value asked for.
        value: ValueId,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// A node reads a value that no earlier node defines.
    #[error("{node} = {op}: no earlier node defines {value}")]
    Order {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// What it reads.
        value: ValueId,
    },
    /// A name is empty.
    #[error("the name of this {kind} is empty")]
    EmptyName {
        /// `input`, `weight`, `state` or `output`.
        kind: &'static str,
    },
    /// A name is taken.
    #[error("there is another {kind} named `{name}`")]
    DuplicateName {
        /// `input`, `weight`, `state` or `output`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A shape is too large, no whole number of blocks, or does not broadcast.
    #[error("{node} = {op}: {source}")]
    Shape {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// What is wrong with the shape.
        source: ShapeError,
    },
    /// An operand has the wrong dtype or rank.
    #[error("{node} = {op}: {operand} must be {expected}, found {found}")]
    Operand {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// The operand, as the operator's documentation names it.
        operand: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// Two operands differ in an extent that they share.
    #[error("{node} = {op}: the {which} extents of {a} {a_shape} and {b} {b_shape} must agree")]
    Extents {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// Which of their extents.
        which: Extent,
        /// One operand.
        a: &'static str,
        /// Its shape.
        a_shape: Shape,
        /// The other operand.
        b: &'static str,
        /// Its shape.
        b_shape: Shape,
    },
    /// An elementwise operator has the wrong number of operands.
    #[error("{node} = {op}: the operator takes {expected} operands, {found} were given")]
    Arity {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// What it takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A norm's `eps` is negative or not finite.
    #[error("{node} = {op}: eps must be finite and not negative, found {eps}")]
    Eps {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// What was given.
        eps: f32,
    },
    /// A region is not well formed.
    #[error("{node} = {op}: {source}")]
    Region {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// What is wrong with the region.
        source: RegionError,
    },
    /// A weight cannot be an output.
    #[error("output `{name}` is the weight {value}; dequantise it to get its values")]
    OutputIsWeight {
        /// The output.
        name: String,
        /// The weight.
        value: ValueId,
    },
    /// A state cannot be an output.
    #[error("output `{name}` is the state {value}; give what was appended to it")]
    OutputIsState {
        /// The output.
        name: String,
        /// The state.
        value: ValueId,
    },
    /// A shape has another number of elements.
    #[error("{node} = {op}: shape {to} has not as many elements as {from}")]
    Reshape {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// The operand's shape.
        from: Shape,
        /// The new one.
        to: Shape,
    },
    /// Values are numbered in 32 bits.
    #[error("a graph has at most 2^32 nodes")]
    TooManyNodes,
}

/// Why a region is not well formed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegionError {
    /// It has no steps.
    #[error("a region has at least one step")]
    Empty,
    /// It has too many arguments.
    #[error("a region has at most {MAX_REGION_INPUTS} arguments, {found} were given")]
    Inputs {
        /// What was given.
        found: usize,
    },
    /// An argument is given twice.
    #[error("argument {value} is given twice")]
    Repeated {
        /// The argument.
        value: ValueId,
    },
    /// A step has the wrong number of operands.
    #[error("step {step}, `{op}`, takes {expected} operands, {found} were given")]
    Arity {
        /// The step, from 0.
        step: usize,
        /// Its operator.
        op: &'static str,
        /// What the operator takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A step reads what is not computed before it.
    #[error(
        "step {step}, `{op}`, reads value {operand} of the region, which is not computed before it"
    )]
    Order {
        /// The step, from 0.
        step: usize,
        /// Its operator.
        op: &'static str,
        /// The region's value that it reads.
        operand: usize,
    },
    /// An argument or the result of a step is read by nothing.
    #[error("value {value} of the region is read by no step and is not its result")]
    Unused {
        /// The region's value.
        value: usize,
    },
}

/// An extent of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The outermost.
    First,
    /// The innermost.
    Last,
    /// All but the outermost.
    Inner,
    /// Each.
    All,
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Last => "last",
            Self::Inner => "inner",
            Self::All => "respective",
        })
    }
}
