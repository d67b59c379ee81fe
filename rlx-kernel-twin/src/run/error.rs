//! Why a run cannot be made.

use crate::program::{DecodeError, MAX_LANES, MAX_WORKGROUP_BYTES};

/// Why a run cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The kernel's twin cannot be read.
    #[error("kernel `{kernel}`: {error}")]
    Decode {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        error: DecodeError,
    },
    /// The kernel has something that the twin does not know.
    #[error("kernel `{kernel}` does not run on the twin: {what}, at {at}")]
    Unsupported {
        /// The kernel.
        kernel: String,
        /// What.
        what: String,
        /// Where.
        at: String,
    },
    /// The number of bindings differs from the kernel's.
    #[error("kernel `{kernel}` has {expected} bindings, {found} were given")]
    Bindings {
        /// The kernel.
        kernel: String,
        /// What it has.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// The bytes of a binding are not a whole number of elements.
    #[error(
        "`{binding}` of kernel `{kernel}` has elements of {stride} bytes, which {bytes} bytes are no number of"
    )]
    Elements {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// Bytes of an element.
        stride: u32,
        /// What was given.
        bytes: usize,
    },
    /// A binding that the kernel writes was given to be read.
    #[error("kernel `{kernel}` writes `{binding}`, which was given as read-only")]
    ReadOnly {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
    },
    /// A binding of 4 GiB or more.
    #[error("`{binding}` of kernel `{kernel}` has {bytes} bytes; the twin holds less than 4 GiB")]
    TooLarge {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// What was given.
        bytes: usize,
    },
    /// The params have another size.
    #[error("kernel `{kernel}` takes {expected} bytes of params, {found} were given")]
    Params {
        /// The kernel.
        kernel: String,
        /// What it takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A workgroup that no device has.
    #[error(
        "kernel `{kernel}` is asked to run workgroups of {size:?} invocations; the twin runs 1 to {MAX_LANES}"
    )]
    Workgroup {
        /// The kernel.
        kernel: String,
        /// Invocations by dimension.
        size: [u32; 3],
    },
    /// An array of the workgroup that const parameters size, and that no device could hold.
    #[error(
        "the const parameters of kernel `{kernel}` give `{array}` {len} elements; the twin holds 1 to as many as fit \
         {MAX_WORKGROUP_BYTES} bytes"
    )]
    Array {
        /// The kernel.
        kernel: String,
        /// The array.
        array: String,
        /// Its length.
        len: String,
    },
    /// More workgroups than can be numbered.
    #[error("kernel `{kernel}` is asked to run {grid:?} workgroups; the twin runs less than 2^32")]
    Grid {
        /// The kernel.
        kernel: String,
        /// Workgroups by dimension.
        grid: [u32; 3],
    },
    /// A subgroup size that no device has.
    #[error("subgroups have 1 to 128 invocations, a power of two; the options say {0}")]
    SubgroupSize(u32),
    /// Nothing to run.
    #[error("the options name no {0}")]
    Nothing(&'static str),
    /// The options name a binding that is not there.
    #[error("kernel `{kernel}` has no `&mut` slice `{binding}`, which the options name")]
    Binding {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
    },
}
