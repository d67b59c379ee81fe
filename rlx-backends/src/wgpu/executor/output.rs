//! The outputs of a program, read back through staging buffers.

use rlx_core::{DType, Graph, Program, Shape};
use wgpu::{BufferUsages, CommandEncoder};

use super::memory::{Memory, Slot};
use super::mismatch::MismatchError;
use crate::error::BackendError;
use crate::tensor::{Tensor, TensorData};
use crate::wgpu::context::Context;

/// One output.
pub(super) struct Output {
    name: String,
    shape: Shape,
    dtype: DType,
    slot: Slot,
    /// Its bytes, once a run has copied them.
    pub staging: wgpu::Buffer,
}

/// The outputs of `graph`, which was lowered to `program`, in the graph's order.
pub(super) fn outputs(
    context: &Context,
    graph: &Graph,
    program: &Program,
    memory: &Memory<'_>,
) -> Result<Vec<Output>, BackendError> {
    let outputs = graph.outputs().iter().map(|(name, value)| {
        let node = graph.nodes().get(value.index());
        let dense = node.and_then(|node| Some((node, node.dtype.dense()?)));
        let (node, dtype) = dense.ok_or_else(|| MismatchError::NoValue { name: name.clone() })?;
        let slot = memory.slot(&program.outputs, name, node.dtype.bytes_of(&node.shape)?)?;
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let staging = context.buffer(
            format_args!("read-back of output `{name}`"),
            slot.bytes,
            usage,
        )?;
        Ok(Output {
            name: name.clone(),
            shape: node.shape.clone(),
            dtype,
            slot,
            staging,
        })
    });
    outputs.collect()
}

impl Output {
    /// Copies the output to its staging buffer.
    pub fn copy(&self, encoder: &mut CommandEncoder) {
        let Slot {
            buffer,
            offset,
            bytes,
        } = &self.slot;
        if *bytes > 0 {
            encoder.copy_buffer_to_buffer(buffer, *offset, &self.staging, 0, *bytes);
        }
    }

    /// The output's name, and a tensor of zeros in its shape.
    pub fn zeros(&self) -> (String, Tensor) {
        let len = (self.slot.bytes / self.dtype.bytes()) as usize;
        let data = match self.dtype {
            DType::F32 => TensorData::F32(vec![0.0; len]),
            DType::U32 => TensorData::U32(vec![0; len]),
        };
        (
            self.name.clone(),
            Tensor {
                shape: self.shape.clone(),
                data,
            },
        )
    }
}

/// The bytes of a tensor, to be written.
pub(super) fn bytes_of(tensor: &mut Tensor) -> &mut [u8] {
    match &mut tensor.data {
        TensorData::F32(data) => bytemuck::cast_slice_mut(data),
        TensorData::U32(data) => bytemuck::cast_slice_mut(data),
    }
}
