//! Buffers on a device: made, filled, read back.

use std::fmt;
use std::sync::{Arc, mpsc};

use bytemuck::Pod;
use rlx_kernels::{BlockFormat, Packed};
use wgpu::{BufferDescriptor, BufferUsages, CommandEncoderDescriptor, MapMode};

use super::binding::Bound;
use super::context::Context;
use super::error::{DeviceError, DeviceLimit};
use super::upload::{STAGING_BYTES, Upload};

/// A buffer of `T` on a [`Context`]'s device.
pub type Buffer<T> = rlx_kernels::Buffer<T, BufferHandle>;

/// A window of a device buffer. Clones share the buffer, which is freed with the last of them.
#[derive(Clone)]
pub struct BufferHandle {
    allocation: Arc<Allocation>,
    offset: u64,
    size: u64,
}

struct Allocation {
    buffer: wgpu::Buffer,
    context: Context,
}

/// Every buffer has room for one element of any type, so that an empty slice can be bound.
const MIN_BYTES: u64 = 16;

impl BufferHandle {
    /// The window's first byte in its buffer.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The window's bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// `size` bytes of this window from its byte `offset`. A kernel can bind it only at a multiple of
    /// the device's storage alignment.
    ///
    /// # Errors
    /// [`DeviceError::Window`] where it is not inside of this one.
    pub fn window(&self, offset: u64, size: u64) -> Result<Self, DeviceError> {
        let end = offset.checked_add(size);
        if end.is_none_or(|end| end > self.size) {
            return Err(DeviceError::Window {
                offset,
                size,
                bytes: self.size,
            });
        }
        Ok(Self {
            allocation: Arc::clone(&self.allocation),
            offset: self.offset + offset,
            size,
        })
    }

    pub(super) fn buffer(&self) -> &wgpu::Buffer {
        &self.allocation.buffer
    }

    /// The window to bind as an array of elements of `stride` bytes. An empty one takes a first element
    /// that no kernel may touch, since WebGPU binds nothing shorter.
    pub(super) fn bound(&self, stride: u64) -> Bound<'_> {
        let buffer = self.buffer();
        let size = if self.size == 0 {
            stride.min(buffer.size() - self.offset)
        } else {
            self.size
        };
        Bound {
            buffer,
            offset: self.offset,
            size: size.next_multiple_of(4),
        }
    }

    pub(super) fn is_of(&self, context: &Context) -> bool {
        self.allocation.context.is(context)
    }
}

impl fmt::Debug for BufferHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferHandle")
            .field("offset", &self.offset)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// A buffer that holds `data`.
    ///
    /// # Errors
    /// [`DeviceError`] where the device refuses it.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<Buffer<T>, DeviceError> {
        let handle = self.upload_bytes(bytemuck::cast_slice(data))?;
        Ok(Buffer::new(handle, data.len() as u64))
    }

    /// A buffer that holds weights in format `F`, as they lie in a file; its length is in blocks.
    ///
    /// # Errors
    /// [`DeviceError::PackedLength`] where `bytes` are no whole number of blocks, and any other
    /// [`DeviceError`] where the device refuses the buffer.
    pub fn upload_packed<F: BlockFormat>(
        &self,
        bytes: &[u8],
    ) -> Result<Buffer<Packed<F>>, DeviceError> {
        let (len, block) = (bytes.len() as u64, u64::from(F::BYTES));
        if !len.is_multiple_of(block) {
            return Err(DeviceError::PackedLength {
                format: F::INFO.name,
                bytes: len,
                block,
            });
        }
        Ok(Buffer::new(self.upload_bytes(bytes)?, len / block))
    }

    /// A buffer of `len` elements whose bytes are all zero.
    ///
    /// # Errors
    /// [`DeviceError`] where the device refuses it.
    pub fn alloc<T: Pod>(&self, len: u64) -> Result<Buffer<T>, DeviceError> {
        let bytes = len.saturating_mul(size_of::<T>() as u64);
        Ok(Buffer::new(self.allocate(bytes)?, len))
    }

    /// Waits for the device and reads the elements of `buffer`.
    ///
    /// # Errors
    /// [`DeviceError`] where the device fails.
    pub fn download<T: Pod>(&self, buffer: &Buffer<T>) -> Result<Vec<T>, DeviceError> {
        let handle = buffer.handle();
        if !handle.is_of(self) {
            return Err(DeviceError::OtherContext {
                subject: "the buffer to read".into(),
            });
        }
        let mut data = vec![T::zeroed(); handle.size as usize / size_of::<T>().max(1)];
        self.read(
            handle.buffer(),
            handle.offset,
            bytemuck::cast_slice_mut(&mut data),
        )?;
        Ok(data)
    }

    fn upload_bytes(&self, bytes: &[u8]) -> Result<BufferHandle, DeviceError> {
        let handle = self.allocate(bytes.len() as u64)?;
        let mut upload = Upload::new(self, bytes.len() as u64)?;
        upload.write(handle.buffer(), 0, bytes)?;
        upload.finish()?;
        Ok(handle)
    }

    fn allocate(&self, bytes: u64) -> Result<BufferHandle, DeviceError> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer = self.buffer(format_args!("a buffer of {bytes} bytes"), bytes, usage)?;
        let allocation = Arc::new(Allocation {
            buffer,
            context: self.clone(),
        });
        Ok(BufferHandle {
            allocation,
            offset: 0,
            size: bytes,
        })
    }

    /// A zeroed buffer with room for `bytes`, rounded up to whole words.
    pub(super) fn buffer(
        &self,
        subject: impl fmt::Display,
        bytes: u64,
        usage: BufferUsages,
    ) -> Result<wgpu::Buffer, DeviceError> {
        let (size, allowed) = (
            bytes.div_ceil(4).saturating_mul(4).max(MIN_BYTES),
            self.capabilities().limits.max_buffer,
        );
        if size > allowed {
            let (subject, limit) = (subject.to_string(), DeviceLimit::BufferBytes);
            return Err(DeviceError::Limit {
                subject,
                limit,
                need: size,
                allowed,
            });
        }
        let descriptor = BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        };
        self.guard(subject, || self.device().create_buffer(&descriptor))
    }

    /// Reads `bytes.len()` bytes of `buffer` from byte `offset`, a bounded piece at a time.
    fn read(
        &self,
        buffer: &wgpu::Buffer,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        let piece = bytes.len().min(STAGING_BYTES as usize);
        if piece == 0 {
            return Ok(());
        }
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let staging = self.buffer("a buffer for reading back", piece as u64, usage)?;
        for (index, out) in bytes.chunks_mut(piece).enumerate() {
            let from = offset + (index * piece) as u64;
            let submission = self.guard("reading a buffer", || {
                let mut encoder = self
                    .device()
                    .create_command_encoder(&CommandEncoderDescriptor::default());
                encoder.copy_buffer_to_buffer(buffer, from, &staging, 0, whole_words(out));
                self.queue().submit([encoder.finish()])
            })?;
            self.map(&mut [(&staging, out)], submission)?;
        }
        Ok(())
    }

    /// Waits for `submission`, then copies the beginning of each staging buffer to the slice beside it.
    pub(super) fn map(
        &self,
        reads: &mut [(&wgpu::Buffer, &mut [u8])],
        submission: wgpu::SubmissionIndex,
    ) -> Result<(), DeviceError> {
        let copied = self.map_and_copy(reads, submission);
        if copied.is_err() {
            // A buffer left mapped would fail every later run; one that is not mapped only says so.
            let _ = self.guard("unmapping", || {
                for (staging, _) in reads.iter() {
                    staging.unmap();
                }
            });
        }
        copied
    }

    fn map_and_copy(
        &self,
        reads: &mut [(&wgpu::Buffer, &mut [u8])],
        submission: wgpu::SubmissionIndex,
    ) -> Result<(), DeviceError> {
        reads.sort_by_key(|(_, out)| out.is_empty());
        let filled = reads.iter().take_while(|(_, out)| !out.is_empty()).count();
        let reads = &mut reads[..filled];
        let (sender, receiver) = mpsc::channel();
        self.guard("mapping a buffer", || {
            for (staging, out) in reads.iter() {
                let sender = sender.clone();
                // The receiver is gone only when nobody waits for the answer any more.
                staging.map_async(MapMode::Read, 0..whole_words(out), move |mapped| {
                    drop(sender.send(mapped));
                });
            }
        })?;
        self.wait_for(Some(submission))?;
        let failed = |message: String| DeviceError::Internal {
            making: "mapping a buffer".into(),
            message,
        };
        let answers: Vec<_> = receiver.try_iter().collect();
        if answers.len() < reads.len() {
            return Err(failed("the device gave no answer".into()));
        }
        answers
            .into_iter()
            .collect::<Result<(), _>>()
            .map_err(|error| failed(error.to_string()))?;
        for (staging, out) in reads {
            let view = staging
                .get_mapped_range(0..whole_words(out))
                .map_err(|error| failed(error.to_string()))?;
            out.copy_from_slice(&view[..out.len()]);
            drop(view);
            staging.unmap();
        }
        Ok(())
    }
}

fn whole_words(bytes: &[u8]) -> u64 {
    (bytes.len() as u64).next_multiple_of(4)
}
