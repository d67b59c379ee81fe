//! A device that is the twin: buffers on the host, dispatches on the interpreter.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::Pod;

use super::{Report, SimError, SimOptions, dispatch};
use crate::dispatch::{Buffer, Dispatch};

/// Runs dispatches on the twin, with buffers that outlive them: what a test of several kernels in a
/// row needs, without a GPU.
#[derive(Clone, Debug, Default)]
pub struct TwinDevice {
    options: SimOptions,
}

/// A buffer of a [`TwinDevice`]. Clones share its bytes.
#[derive(Clone)]
pub struct TwinBuffer(Arc<Mutex<Vec<u8>>>);

impl TwinBuffer {
    /// Takes `bytes` as they are.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(bytes)))
    }

    /// A copy of what it holds.
    pub fn bytes(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Whether `other` is the same buffer.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn replace(&self, bytes: Vec<u8>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
    }
}

impl fmt::Debug for TwinBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TwinBuffer of {} bytes", self.bytes().len())
    }
}

impl TwinDevice {
    /// A device that runs as `options` say.
    pub fn new(options: SimOptions) -> Self {
        Self { options }
    }

    /// A buffer of `data`.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Buffer<T, TwinBuffer> {
        let bytes = bytemuck::cast_slice(data).to_vec();
        Buffer::new(TwinBuffer::new(bytes), data.len() as u64)
    }

    /// A buffer of `len` zeros.
    pub fn alloc<T: Pod>(&self, len: u64) -> Buffer<T, TwinBuffer> {
        let bytes = vec![0; len as usize * size_of::<T>()];
        Buffer::new(TwinBuffer::new(bytes), len)
    }

    /// What a buffer holds.
    pub fn download<T: Pod>(&self, buffer: &Buffer<T, TwinBuffer>) -> Vec<T> {
        let bytes = buffer.handle().bytes();
        let mut data = vec![T::zeroed(); bytes.len() / size_of::<T>().max(1)];
        for (to, from) in bytemuck::cast_slice_mut::<T, u8>(&mut data)
            .iter_mut()
            .zip(bytes)
        {
            *to = from;
        }
        data
    }

    /// Runs `run`, and writes its outputs into their buffers.
    ///
    /// # Errors
    /// [`SimError`] where it cannot be run. What is wrong with the kernel is in the report.
    pub fn run(&self, run: &Dispatch<TwinBuffer>) -> Result<Report, SimError> {
        // Bindings of one buffer are one buffer to the twin as well.
        let mut buffers: Vec<TwinBuffer> = Vec::new();
        let numbered = run.clone().map(|buffer| {
            let known = buffers.iter().position(|known| known.is(&buffer));
            known.unwrap_or_else(|| {
                buffers.push(buffer);
                buffers.len() - 1
            })
        });
        let mut bytes: Vec<Vec<u8>> = buffers.iter().map(TwinBuffer::bytes).collect();
        let report = dispatch(&numbered, &mut bytes, &self.options)?;
        for (buffer, bytes) in buffers.iter().zip(bytes) {
            buffer.replace(bytes);
        }
        Ok(report)
    }
}
