//! Host bytes on their way to device buffers, a bounded amount at a time.

use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoderDescriptor, MAP_ALIGNMENT, MapMode,
};

use super::context::Context;
use super::error::DeviceError;

/// Bytes of the largest staging buffer: uploading weights must not double the host's memory.
pub(super) const STAGING_BYTES: u64 = 16 << 20;

/// Copies from a staging buffer, which is mapped until they are submitted.
pub(super) struct Upload<'a> {
    context: &'a Context,
    staging: Buffer,
    mapped: bool,
    used: u64,
    copies: Vec<Copy>,
}

struct Copy {
    from: u64,
    buffer: Buffer,
    offset: u64,
    size: u64,
}

impl<'a> Upload<'a> {
    /// An upload of about `bytes` bytes in all.
    pub fn new(context: &'a Context, bytes: u64) -> Result<Self, DeviceError> {
        let descriptor = BufferDescriptor {
            label: None,
            size: bytes
                .clamp(MAP_ALIGNMENT, STAGING_BYTES)
                .next_multiple_of(MAP_ALIGNMENT),
            usage: BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        };
        let making = format_args!("a staging buffer of {} bytes", descriptor.size);
        let staging = context.guard(making, || context.device().create_buffer(&descriptor))?;
        Ok(Self {
            context,
            staging,
            mapped: true,
            used: 0,
            copies: Vec::new(),
        })
    }

    /// Writes `bytes` to `buffer` from byte `offset`, a multiple of 4; a last word that is not whole is
    /// filled up with zeros.
    pub fn write(&mut self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let (mut offset, mut bytes) = (offset, bytes);
        while !bytes.is_empty() {
            if self.used == self.staging.size() {
                self.flush()?;
            }
            let room = (self.staging.size() - self.used) as usize;
            let (chunk, rest) = bytes.split_at(bytes.len().min(room));
            self.stage(buffer, offset, chunk)?;
            offset += chunk.len() as u64;
            bytes = rest;
        }
        Ok(())
    }

    fn stage(&mut self, buffer: &Buffer, offset: u64, chunk: &[u8]) -> Result<(), DeviceError> {
        self.map()?;
        let size = (chunk.len() as u64).next_multiple_of(4);
        let from = self.used;
        let filled = self.context.guard("filling a staging buffer", || {
            let mut view = self.staging.get_mapped_range_mut(from..from + size)?;
            let (words, tail) = chunk.split_at(chunk.len() / 4 * 4);
            view.slice(..words.len()).copy_from_slice(words);
            if !tail.is_empty() {
                let mut word = [0; 4];
                word[..tail.len()].copy_from_slice(tail);
                view.slice(words.len()..).copy_from_slice(&word);
            }
            Ok(())
        })?;
        filled.map_err(|error: wgpu::MapRangeError| failed(error.to_string()))?;
        self.used = (from + size).next_multiple_of(MAP_ALIGNMENT);
        self.copies.push(Copy {
            from,
            buffer: buffer.clone(),
            offset,
            size,
        });
        Ok(())
    }

    fn map(&mut self) -> Result<(), DeviceError> {
        if self.mapped {
            return Ok(());
        }
        self.context.guard("mapping a staging buffer", || {
            // What a failed mapping leaves behind is an error when the buffer is filled.
            self.staging.map_async(MapMode::Write, .., |_| ());
        })?;
        self.context.wait_for(None)?;
        self.mapped = true;
        Ok(())
    }

    /// Submits the copies and waits, so that the staging buffer is free again.
    fn flush(&mut self) -> Result<(), DeviceError> {
        (self.mapped, self.used) = (false, 0);
        let copies = std::mem::take(&mut self.copies);
        let submission = self.context.guard("uploading", || {
            self.staging.unmap();
            let mut encoder = self
                .context
                .device()
                .create_command_encoder(&CommandEncoderDescriptor::default());
            for Copy {
                from,
                buffer,
                offset,
                size,
            } in &copies
            {
                encoder.copy_buffer_to_buffer(&self.staging, *from, buffer, *offset, *size);
            }
            self.context.queue().submit([encoder.finish()])
        })?;
        self.context.wait_for(Some(submission))
    }

    /// Waits until all that was written is on the device.
    pub fn finish(mut self) -> Result<(), DeviceError> {
        if self.copies.is_empty() {
            Ok(())
        } else {
            self.flush()
        }
    }
}

fn failed(message: String) -> DeviceError {
    DeviceError::Internal {
        making: "filling a staging buffer".into(),
        message,
    }
}
