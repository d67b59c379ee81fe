//! Why a program has no plan.

use crate::graph::ValueId;

/// Why a program has no plan. A `value` is named by what it is to the caller, where it is anything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The storage alignment is no power of two.
    #[error("a storage alignment of {alignment} bytes is no power of two")]
    Alignment {
        /// What the limits say.
        alignment: u64,
    },
    /// A value that a dispatch binds is larger than a binding may be.
    #[error("{value} takes {bytes} bytes, more than the {limit} bytes of a storage binding")]
    Binding {
        /// The value.
        value: String,
        /// Bytes of its window.
        bytes: u64,
        /// The largest storage binding.
        limit: u64,
    },
    /// A value is larger than a buffer may be.
    #[error(
        "{value} takes {bytes} bytes with its padding, more than the {limit} bytes of a buffer"
    )]
    Buffer {
        /// The value.
        value: String,
        /// Bytes, rounded up to the alignment.
        bytes: u64,
        /// The largest buffer.
        limit: u64,
    },
    /// All values together pass 64 bits.
    #[error("the program's values take more than 2^64 - 1 bytes")]
    Overflow,
    /// A number names no value of the program.
    #[error("{place} names {value}, the program has {values} values")]
    NoSuchValue {
        /// Who names it.
        place: String,
        /// The number.
        value: ValueId,
        /// Values of the program.
        values: usize,
    },
    /// A dispatch has more or fewer bindings than its kernel.
    #[error("dispatch {dispatch}: kernel `{kernel}` has {expected} bindings, the dispatch {found}")]
    Bindings {
        /// The dispatch, from 0.
        dispatch: usize,
        /// Its kernel.
        kernel: String,
        /// What the kernel declares.
        expected: usize,
        /// What the dispatch binds.
        found: usize,
    },
    /// A kernel has more bindings than a set of bindings can hold.
    #[error(
        "dispatch {dispatch}: kernel `{kernel}` has {bindings} storage bindings, at most 32 can be planned"
    )]
    TooManyBindings {
        /// The dispatch, from 0.
        dispatch: usize,
        /// Its kernel.
        kernel: String,
        /// What the kernel declares.
        bindings: usize,
    },
    /// A dispatch writes a weight.
    #[error("dispatch {dispatch}: kernel `{kernel}` writes {value}, and weights are only read")]
    WeightWritten {
        /// The dispatch, from 0.
        dispatch: usize,
        /// Its kernel.
        kernel: String,
        /// The weight, or what is in its window.
        value: String,
    },
    /// A dispatch binds one window twice and writes it.
    #[error(
        "dispatch {dispatch}: kernel `{kernel}` writes {written} and also binds {other}, which is the same window"
    )]
    SameWindow {
        /// The dispatch, from 0.
        dispatch: usize,
        /// Its kernel.
        kernel: String,
        /// The value that it writes.
        written: String,
        /// The other binding.
        other: String,
    },
    /// A value is read, and nothing has written it.
    #[error("{reader} reads {value}, which nothing has written")]
    NotWritten {
        /// A dispatch or an output.
        reader: String,
        /// The value.
        value: String,
    },
    /// A value is read after something else was written in its place.
    #[error("{reader} reads {value}, in whose place {by} was written")]
    Overwritten {
        /// A dispatch or an output.
        reader: String,
        /// The value.
        value: String,
        /// What is in its window.
        by: String,
    },
    /// A value cannot live in the window that it asks for.
    #[error("{value} cannot live in the window of {target}: {reason}")]
    Alias {
        /// The value.
        value: String,
        /// Its `alias_of`.
        target: ValueId,
        /// Why not.
        reason: &'static str,
    },
    /// What the program calls an input is a weight or a temporary.
    #[error("input `{name}` is {value}, whose kind is not `Input`")]
    NotAnInput {
        /// The input's name.
        name: String,
        /// The value.
        value: String,
    },
}
