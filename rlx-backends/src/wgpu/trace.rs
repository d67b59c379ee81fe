//! What a kernel's `trace!` shows, on a device.

use std::fmt;
use std::sync::Arc;

use rlx_kernels::simulate::Trace;
use rlx_kernels::{Dispatch, KernelRef};

use super::buffer::BufferHandle;
use super::context::Context;
use super::error::DeviceError;
use super::launch::check_dispatch;

/// The values that a run has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// In the order in which the device came to them: those of one invocation in its own order.
    pub traces: Vec<Trace>,
    /// Values that found no room.
    pub dropped: u64,
}

impl fmt::Display for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for trace in &self.traces {
            writeln!(f, "{trace}")?;
        }
        match self.dropped {
            0 => write!(f, "{} values", self.traces.len()),
            dropped => write!(
                f,
                "{} values, and {dropped} that found no room: ask for more",
                self.traces.len()
            ),
        }
    }
}

impl Context {
    /// Runs `dispatch` as [`Self::run`] does, and gives what its `trace!` shows, the first `most` values.
    /// A kernel that does not say it shows nothing.
    ///
    /// Such a run is another pipeline than a plain one, with one storage binding more: a plain run has
    /// no trace of it.
    ///
    /// # Errors
    /// As [`Self::run`], and where there is no room for the values.
    pub fn run_traced(
        &self,
        dispatch: &Dispatch<BufferHandle>,
        most: u32,
    ) -> Result<Traces, DeviceError> {
        check_dispatch(dispatch)?;
        let kernel = &*dispatch.kernel;
        let (Some(traced), Some(with_traces)) = (&kernel.traced, kernel.with_traces()) else {
            self.run(dispatch)?;
            return Ok(Traces::default());
        };
        let buffer = self.alloc::<u32>(traced.words_for(most))?;
        let mut bindings = dispatch.bindings.clone();
        bindings.push(buffer.handle().clone());
        self.run(&Dispatch {
            kernel: KernelRef::Shared(Arc::new(with_traces)),
            bindings,
            params: dispatch.params.clone(),
            overrides: dispatch.overrides.clone(),
            grid: dispatch.grid,
        })?;
        let words = self.download(&buffer)?;
        let size = kernel.workgroup_size_with(&dispatch.overrides);
        let (traces, dropped) = traced.read(&words, size.unwrap_or(kernel.workgroup_size));
        Ok(Traces { traces, dropped })
    }
}
