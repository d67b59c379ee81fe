//! One dispatch, at once.

use rlx_kernels::dispatch::check_overrides;
use rlx_kernels::{Dispatch, DispatchError, KernelInfo};
use wgpu::{BufferUsages, CommandEncoderDescriptor, ComputePassDescriptor};

use super::binding::{Bound, shared};
use super::buffer::BufferHandle;
use super::checks::Checks;
use super::context::Context;
use super::error::DeviceError;

impl Context {
    /// Submits `dispatch`; one with a 0 in its grid does nothing. What it writes can be read by later
    /// dispatches and by [`Context::download`].
    ///
    /// # Errors
    /// [`DeviceError`] where a requirement of the kernel does not hold, where the kernel or a binding asks for more than the device has, where a binding
    /// that is written overlaps another, or where the device fails.
    pub fn run(&self, dispatch: &Dispatch<BufferHandle>) -> Result<(), DeviceError> {
        let Dispatch {
            kernel,
            overrides,
            params,
            grid,
            ..
        } = dispatch;
        let bound = windows(self, dispatch)?;
        if grid.contains(&0) {
            return Ok(());
        }
        self.check_grid(kernel, *grid)?;
        self.check_bindings(kernel, &bound)?;
        let checks = Checks::of(kernel, overrides, params, &bound, *grid)?;
        let pipeline = self.pipeline(kernel, overrides, shared(kernel, &bound), checks)?;
        let uniform = if pipeline.immediates {
            None
        } else {
            self.params_buffer(kernel, params)?
        };
        let window = uniform.as_ref().map(|buffer| Bound {
            buffer,
            offset: 0,
            size: params.len() as u64,
        });
        let group = self.bind_group(kernel, &pipeline, &bound, window)?;
        let [x, y, z] = *grid;
        self.guard(
            format_args!("dispatch of kernel `{}`", kernel.label()),
            || {
                let mut encoder = self
                    .device()
                    .create_command_encoder(&CommandEncoderDescriptor::default());
                let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
                pass.set_pipeline(&pipeline.compute);
                pass.set_bind_group(0, &group, &[]);
                if pipeline.immediates {
                    pass.set_immediates(0, params);
                }
                pass.dispatch_workgroups(x, y, z);
                drop(pass);
                self.queue().submit([encoder.finish()]);
            },
        )
    }

    fn params_buffer(
        &self,
        kernel: &KernelInfo,
        params: &[u8],
    ) -> Result<Option<wgpu::Buffer>, DeviceError> {
        if params.is_empty() {
            return Ok(None);
        }
        let subject = format_args!("params of kernel `{}`", kernel.label());
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let buffer = self.buffer(subject, params.len() as u64, usage)?;
        self.guard(subject, || self.queue().write_buffer(&buffer, 0, params))?;
        Ok(Some(buffer))
    }
}

/// The windows of `dispatch`, which must fit its kernel and belong to `context`.
pub(super) fn windows<'a>(
    context: &Context,
    dispatch: &'a Dispatch<BufferHandle>,
) -> Result<Vec<Bound<'a>>, DeviceError> {
    check_dispatch(dispatch)?;
    let kernel = &dispatch.kernel;
    let windows = dispatch.bindings.iter().zip(kernel.bindings.iter());
    let bound = windows.map(|(handle, binding)| {
        if !handle.is_of(context) {
            let subject = format!("binding `{}` of kernel `{}`", binding.name, kernel.label());
            return Err(DeviceError::OtherContext { subject });
        }
        Ok(handle.bound(u64::from(binding.stride)))
    });
    bound.collect()
}

/// Checks that a dispatch, whose fields anyone may change, still fits its kernel.
pub(super) fn check_dispatch<H>(dispatch: &Dispatch<H>) -> Result<(), DispatchError> {
    let Dispatch {
        kernel,
        overrides,
        bindings,
        params,
        ..
    } = dispatch;
    check_overrides(kernel, overrides)?;
    let (expected, found) = (kernel.bindings.len(), bindings.len());
    if expected != found {
        return Err(DispatchError::Bindings {
            kernel: kernel.label(),
            expected,
            found,
        });
    }
    let (expected, found) = (kernel.params_size as usize, params.len());
    if expected != found {
        return Err(DispatchError::Params {
            kernel: kernel.label(),
            expected,
            found,
        });
    }
    Ok(())
}
