//! A kernel on its CPU twin: it runs without a GPU, in lockstep, and is searched for races, barriers
//! that not all reach, reads of what nobody wrote, indices past the end, and arithmetic that wraps.
//!
//! `kernel::simulate(..)` takes a kernel's own slices and params; [`dispatch()`] takes any
//! [`Dispatch`] over the numbers of byte buffers; a [`TwinDevice`] has buffers of its own, for several
//! dispatches in a row. All give a [`Report`] of findings, each at its line
//! of Rust.

mod device;

pub use device::{TwinBuffer, TwinDevice};
pub use rlx_kernel_twin::finding::{Invocation, Note, Source};
pub use rlx_kernel_twin::program::Kind;
pub use rlx_kernel_twin::report::{Bounds, Trace, Undecided};
pub use rlx_kernel_twin::run::{Launch, RunError, Window};
pub use rlx_kernel_twin::{Check, Finding, Level, Order, Report, SimOptions};

use crate::dispatch::{Dispatch, DispatchError};

/// Why a kernel cannot be simulated. What is wrong with the kernel itself is in the report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// A requirement does not hold, or the grid is too large.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// The run cannot be made.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A binding names a buffer that was not given.
    #[error("kernel `{kernel}` binds buffer {buffer} as `{binding}`; {found} were given")]
    Buffer {
        /// The kernel.
        kernel: String,
        /// The binding.
        binding: String,
        /// The number that it names.
        buffer: usize,
        /// Buffers that were given.
        found: usize,
    },
}

/// Runs `dispatch` over `buffers`, which its bindings name by their numbers. Outputs are written into
/// them. Bindings of one buffer share its memory.
///
/// # Errors
/// [`SimError`] where a binding names no buffer, and what [`RunError`] says.
pub fn dispatch(
    dispatch: &Dispatch<usize>,
    buffers: &mut [Vec<u8>],
    options: &SimOptions,
) -> Result<Report, SimError> {
    let kernel = &*dispatch.kernel;
    let found = buffers.len();
    for (binding, buffer) in kernel.bindings.iter().zip(&dispatch.bindings) {
        if *buffer >= found {
            return Err(SimError::Buffer {
                kernel: kernel.label(),
                binding: binding.name.to_string(),
                buffer: *buffer,
                found,
            });
        }
    }
    // The binding that holds a buffer: one that writes it, where there is one.
    let holder = |buffer: usize| {
        let all = || (0..).zip(&dispatch.bindings).zip(kernel.bindings.iter());
        let mut these = all().filter(|((_, other), _)| **other == buffer);
        let writer = these.clone().find(|(_, binding)| binding.writable);
        writer
            .or_else(|| these.next())
            .map_or(0, |((index, _), _)| index)
    };
    let mut bytes: Vec<Option<&mut Vec<u8>>> = buffers.iter_mut().map(Some).collect();
    let mut windows = Vec::with_capacity(dispatch.bindings.len());
    for (index, (buffer, binding)) in dispatch
        .bindings
        .iter()
        .zip(kernel.bindings.iter())
        .enumerate()
    {
        let holder = holder(*buffer);
        let taken = bytes.get_mut(*buffer).filter(|_| holder == index);
        windows.push(match taken.and_then(Option::take) {
            Some(bytes) if binding.writable => Window::Write(bytes),
            Some(bytes) => Window::Read(bytes),
            None => Window::Same(holder),
        });
    }
    windows_of(dispatch, &mut windows, options)
}

/// Runs `dispatch` over `windows`, one for each of its bindings, in order; what its handles are does
/// not matter.
///
/// # Errors
/// What [`RunError`] says.
pub fn windows_of<H>(
    dispatch: &Dispatch<H>,
    windows: &mut [Window<'_>],
    options: &SimOptions,
) -> Result<Report, SimError> {
    let kernel = &*dispatch.kernel;
    let launch = Launch {
        kernel: &kernel.label(),
        twin: &kernel.twin,
        params: &dispatch.params,
        overrides: &dispatch.overrides,
        workgroup_size: kernel.workgroup_size_with(&dispatch.overrides),
        grid: dispatch.grid,
    };
    let windows = windows.iter_mut().map(|window| match window {
        Window::Read(bytes) => Window::Read(bytes),
        Window::Write(bytes) => Window::Write(bytes),
        Window::Same(other) => Window::Same(*other),
    });
    let tables = kernel.tables.iter();
    let tables = tables.map(|table| Window::Read(bytemuck::cast_slice(&table.words)));
    let mut windows: Vec<_> = windows.chain(tables).collect();
    Ok(rlx_kernel_twin::run(&launch, &mut windows, options)?)
}

/// The bytes of packed weights in the conditions of `#[requires(..)]`.
#[doc(hidden)]
pub struct Blocks(pub u64);

#[doc(hidden)]
impl Blocks {
    pub fn of<F: crate::BlockFormat>(bytes: &[u8]) -> Self {
        Self(bytes.len() as u64 / u64::from(F::BYTES.max(1)))
    }

    pub fn len(&self) -> u64 {
        self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }
}
