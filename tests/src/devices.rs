//! One body of a test on every device: each adapter's, and the CPU twin, which also searches the
//! kernels for bugs.

use bytemuck::Pod;
use rlx_backends::wgpu::{BufferHandle, Context, ContextOptions};
use rlx_kernels::simulate::{TwinBuffer, TwinDevice};
use rlx_kernels::{BlockFormat, Dispatch, Packed, SimOptions};

use crate::barriers::Barriers;

/// What a test gives.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// A device that runs dispatches.
#[derive(Debug)]
pub enum Device {
    /// An adapter's.
    Gpu(Context),
    /// The twin; a run is an error where it finds anything. With barriers, it is an error too where
    /// nobody misses one that is taken out.
    Twin(TwinDevice, Option<Barriers>),
}

/// A buffer's handle on a [`Device`].
#[derive(Clone, Debug)]
pub enum Handle {
    /// On an adapter.
    Gpu(BufferHandle),
    /// On the twin.
    Twin(TwinBuffer),
}

/// A buffer of a [`Device`].
pub type Buffer<T> = rlx_kernels::Buffer<T, Handle>;

fn mixed<T>() -> Outcome<T> {
    Err("a buffer of another device".into())
}

/// The default adapter's device.
///
/// # Panics
/// Where there is no adapter.
pub fn gpu() -> Context {
    Context::new(&ContextOptions::default())
        .expect("an adapter; `cargo xtask demo` installs lavapipe")
}

/// The default adapter's device, and the twin under every subgroup size and order.
///
/// # Panics
/// Where there is no adapter.
pub fn every_device() -> [Device; 2] {
    [Device::Gpu(gpu()), twin(SimOptions::thorough())]
}

/// The twin as a device.
pub fn twin(options: SimOptions) -> Device {
    Device::Twin(TwinDevice::new(options), None)
}

impl Device {
    /// The same device, which also takes barriers out of kernels, and wants to hear of each but
    /// those of `spared`.
    #[must_use]
    pub fn without_barriers(self, spared: &'static [(&'static str, usize)]) -> Self {
        match self {
            Self::Twin(twin, _) => Self::Twin(twin, Some(Barriers::but(spared))),
            gpu @ Self::Gpu(_) => gpu,
        }
    }

    /// A buffer of `data`.
    ///
    /// # Errors
    /// The device's own.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Outcome<Buffer<T>> {
        let handle = match self {
            Self::Gpu(gpu) => Handle::Gpu(gpu.upload(data)?.handle().clone()),
            Self::Twin(twin, _) => Handle::Twin(twin.upload(data).handle().clone()),
        };
        Ok(Buffer::new(handle, data.len() as u64))
    }

    /// A buffer of packed weights: whole blocks of format `F`.
    ///
    /// # Errors
    /// The device's own.
    pub fn upload_packed<F: BlockFormat>(&self, bytes: &[u8]) -> Outcome<Buffer<Packed<F>>> {
        let handle = match self {
            Self::Gpu(gpu) => Handle::Gpu(gpu.upload_packed::<F>(bytes)?.handle().clone()),
            Self::Twin(..) => Handle::Twin(TwinBuffer::new(bytes.to_vec())),
        };
        Ok(Buffer::new(
            handle,
            bytes.len() as u64 / u64::from(F::BYTES),
        ))
    }

    /// A buffer of `len` zeros.
    ///
    /// # Errors
    /// The device's own.
    pub fn alloc<T: Pod>(&self, len: u64) -> Outcome<Buffer<T>> {
        let handle = match self {
            Self::Gpu(gpu) => Handle::Gpu(gpu.alloc::<T>(len)?.handle().clone()),
            Self::Twin(twin, _) => Handle::Twin(twin.alloc::<T>(len).handle().clone()),
        };
        Ok(Buffer::new(handle, len))
    }

    /// What a buffer holds.
    ///
    /// # Errors
    /// The device's own.
    pub fn download<T: Pod>(&self, buffer: &Buffer<T>) -> Outcome<Vec<T>> {
        let len = buffer.len();
        match (self, buffer.handle().clone()) {
            (Self::Gpu(gpu), Handle::Gpu(handle)) => {
                Ok(gpu.download(&rlx_kernels::Buffer::new(handle, len))?)
            }
            (Self::Twin(twin, _), Handle::Twin(handle)) => {
                Ok(twin.download(&rlx_kernels::Buffer::new(handle, len)))
            }
            _ => mixed(),
        }
    }

    /// Runs a dispatch.
    ///
    /// # Errors
    /// The device's own, and what the twin finds.
    pub fn run(&self, dispatch: &Dispatch<Handle>) -> Outcome {
        match self {
            Self::Gpu(gpu) => {
                let mut gpu_bindings = Vec::new();
                for handle in &dispatch.bindings {
                    match handle {
                        Handle::Gpu(handle) => gpu_bindings.push(handle.clone()),
                        Handle::Twin(_) => return mixed(),
                    }
                }
                gpu.run(&with(dispatch, gpu_bindings))?;
            }
            Self::Twin(twin, barriers) => {
                let mut twin_bindings = Vec::new();
                for handle in &dispatch.bindings {
                    match handle {
                        Handle::Twin(handle) => twin_bindings.push(handle.clone()),
                        Handle::Gpu(_) => return mixed(),
                    }
                }
                let dispatch = with(dispatch, twin_bindings);
                if let Some(barriers) = barriers {
                    barriers.take_out(twin, &dispatch);
                }
                let report = twin.run(&dispatch)?;
                if !report.findings.is_empty() {
                    return Err(format!("{}: {report}", dispatch.kernel.label()).into());
                }
            }
        }
        Ok(())
    }
}

/// The dispatch over other bindings.
fn with<H>(dispatch: &Dispatch<Handle>, bindings: Vec<H>) -> Dispatch<H> {
    Dispatch {
        kernel: dispatch.kernel.clone(),
        bindings,
        params: dispatch.params.clone(),
        overrides: dispatch.overrides.clone(),
        grid: dispatch.grid,
    }
}
