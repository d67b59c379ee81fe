//! What can go wrong with a device.

use std::fmt;

use rlx_kernels::{DispatchError, Features, MatrixShape};

/// Why a device context cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// The system has no adapter at all.
    #[error(
        "no GPU adapter was found; install the driver of your GPU, or a software adapter: on Debian and Ubuntu \
         lavapipe comes with `apt-get install mesa-vulkan-drivers libvulkan1`"
    )]
    NoAdapter,
    /// No adapter has the wanted text in its name.
    #[error("no adapter has `{wanted}` in its name; there are: {}", available.join(", "))]
    NoSuchAdapter {
        /// What was asked for.
        wanted: String,
        /// The names of all adapters.
        available: Vec<String>,
    },
    /// The adapter refused to open a device.
    #[error("adapter `{adapter}` opens no device: {message}")]
    Request {
        /// The adapter's name.
        adapter: String,
        /// wgpu's text.
        message: String,
    },
}

/// A limit of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceLimit {
    /// Bytes of workgroup memory of one kernel.
    WorkgroupBytes,
    /// Invocations of one workgroup.
    Invocations,
    /// Invocations of one workgroup along a dimension: 0 is x.
    WorkgroupSize(usize),
    /// Storage bindings of one kernel.
    StorageBindings,
    /// Bytes of one kernel's params.
    ParamsBytes,
    /// Bytes of one binding.
    BindingBytes,
    /// Bytes of one buffer.
    BufferBytes,
    /// Workgroups of one dispatch along a dimension: 0 is x.
    Workgroups(usize),
}

impl fmt::Display for DeviceLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dimension = |index: usize| ["x", "y", "z"].get(index).copied().unwrap_or("?");
        match *self {
            Self::WorkgroupBytes => f.write_str("bytes of workgroup memory"),
            Self::Invocations => f.write_str("invocations a workgroup"),
            Self::WorkgroupSize(index) => {
                write!(f, "invocations a workgroup along {}", dimension(index))
            }
            Self::StorageBindings => f.write_str("storage bindings"),
            Self::ParamsBytes => f.write_str("bytes of params"),
            Self::BindingBytes => f.write_str("bytes in one binding"),
            Self::BufferBytes => f.write_str("bytes in one buffer"),
            Self::Workgroups(index) => write!(f, "workgroups along {}", dimension(index)),
        }
    }
}

/// Why a device cannot do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A kernel needs features that the device was not opened with.
    #[error("kernel `{kernel}` needs the features {}, the device has {}", needed.describe(), available.describe())]
    Features {
        /// The kernel.
        kernel: String,
        /// What it cannot do without.
        needed: Features,
        /// What the device has.
        available: Features,
    },
    /// A kernel multiplies matrices in a way that the device does not.
    #[error(
        "kernel `{kernel}` multiplies matrices as {needed}; the device has {}",
        MatrixShape::list(available)
    )]
    Matrices {
        /// The kernel.
        kernel: String,
        /// The product that the device has not.
        needed: MatrixShape,
        /// The products that it has.
        available: Vec<MatrixShape>,
    },
    /// A kernel with matrices has workgroups that are no whole number of subgroups.
    #[error(
        "kernel `{kernel}` has matrices, and workgroups {wide} invocations wide, which is no multiple of the device's \
         subgroups of {subgroup}"
    )]
    Subgroups {
        /// The kernel.
        kernel: String,
        /// Invocations of a workgroup along x.
        wide: u32,
        /// Invocations of a subgroup, where they are most.
        subgroup: u32,
    },
    /// Something is larger than the device allows.
    #[error("{subject} needs {need} {limit}, the device allows {allowed}")]
    Limit {
        /// The kernel, binding or buffer.
        subject: String,
        /// The limit that is exceeded.
        limit: DeviceLimit,
        /// What is needed.
        need: u64,
        /// What the device allows.
        allowed: u64,
    },
    /// The dispatch does not fit its kernel.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// A binding that the kernel writes overlaps another binding of the same dispatch.
    #[error("kernel `{kernel}` writes `{written}`, which overlaps `{other}` of the same dispatch")]
    Overlap {
        /// The kernel.
        kernel: String,
        /// The binding that is written.
        written: String,
        /// The binding that shares bytes with it.
        other: String,
    },
    /// A binding is smaller than one element of the kernel's array.
    #[error(
        "binding `{binding}` of kernel `{kernel}` has {bytes} bytes, one element takes {stride}"
    )]
    BindingTooSmall {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// Bytes that were bound.
        bytes: u64,
        /// Bytes of one element.
        stride: u64,
    },
    /// A window begins where the device cannot bind it.
    #[error(
        "binding `{binding}` of kernel `{kernel}` begins at byte {offset}; the device binds at multiples of {alignment}"
    )]
    Misaligned {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// The window's first byte.
        offset: u64,
        /// The device's storage alignment in bytes.
        alignment: u64,
    },
    /// A buffer belongs to another context.
    #[error("{subject} belongs to another context")]
    OtherContext {
        /// The binding or buffer.
        subject: String,
    },
    /// A window lies outside of its buffer.
    #[error("a window of {size} bytes at byte {offset} lies outside of a buffer of {bytes} bytes")]
    Window {
        /// The window's first byte.
        offset: u64,
        /// The window's bytes.
        size: u64,
        /// The buffer's bytes.
        bytes: u64,
    },
    /// Packed weights are no whole number of blocks.
    #[error("{bytes} bytes are no whole number of {format} blocks, which take {block} bytes each")]
    PackedLength {
        /// The format.
        format: &'static str,
        /// What was given.
        bytes: u64,
        /// Bytes of one block.
        block: u64,
    },
    /// wgpu refused what it was asked to make or to do.
    #[error("{making}: {message}")]
    Validation {
        /// What was being made or done.
        making: String,
        /// wgpu's text.
        message: String,
    },
    /// The device is out of memory.
    #[error("{making}: the device is out of memory")]
    OutOfMemory {
        /// What was being made or done.
        making: String,
    },
    /// wgpu or the driver failed.
    #[error("{making}: {message}")]
    Internal {
        /// What was being made or done.
        making: String,
        /// The text of wgpu, of the driver or of a caught panic.
        message: String,
    },
    /// The device is gone; open a new context.
    #[error("the device was lost: {reason}")]
    Lost {
        /// The driver's reason.
        reason: String,
    },
    /// An earlier operation failed after it had been accepted.
    #[error("an earlier operation on the device failed: {message}")]
    Deferred {
        /// wgpu's text.
        message: String,
    },
}
