//! The buffers of a plan, with the weights in theirs.

use std::collections::HashMap;

use rlx_core::{Graph, Op, Place, Plan, Program, ValueId, ValueKind, Weights};
use wgpu::BufferUsages;

use super::mismatch::MismatchError;
use crate::error::BackendError;
use crate::signature::weight_bytes;
use crate::wgpu::binding::Bound;
use crate::wgpu::context::Context;
use crate::wgpu::upload::Upload;

/// The bytes of each weight of `graph` by name, as many as its shape and format take.
pub(super) fn weights_of<'a>(
    graph: &'a Graph,
    weights: &'a dyn Weights,
) -> Result<HashMap<&'a str, &'a [u8]>, BackendError> {
    let mut all = HashMap::new();
    for node in graph.nodes() {
        if let (Op::Weight { name }, Some(bytes)) = (&node.op, weight_bytes(node, weights)?) {
            all.insert(name.as_str(), bytes);
        }
    }
    Ok(all)
}

/// A plan's buffers.
pub(super) struct Memory<'a> {
    plan: &'a Plan,
    arenas: Vec<wgpu::Buffer>,
    weights: Vec<wgpu::Buffer>,
}

/// The window of an input or output, without padding.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub buffer: wgpu::Buffer,
    pub offset: u64,
    pub bytes: u64,
}

impl<'a> Memory<'a> {
    /// Makes the buffers, all bytes zero, and uploads each weight to its window.
    pub fn new(
        context: &Context,
        program: &Program,
        plan: &'a Plan,
        weights: &HashMap<&str, &[u8]>,
    ) -> Result<Self, BackendError> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let arenas = plan.arenas.iter().enumerate().map(|(index, &size)| {
            context.buffer(format_args!("arena {index} of {size} bytes"), size, usage)
        });
        let buffers = plan.weights.iter().enumerate().map(|(index, buffer)| {
            context.buffer(
                format_args!("weight buffer {index} of {} bytes", buffer.size),
                buffer.size,
                usage,
            )
        });
        let memory = Self {
            plan,
            arenas: arenas.collect::<Result<_, _>>()?,
            weights: buffers.collect::<Result<_, _>>()?,
        };
        let mut upload = Upload::new(context, plan.weights.iter().map(|buffer| buffer.size).sum())?;
        let mut uploaded: HashMap<&str, u64> = HashMap::new();
        for &value in plan.weights.iter().flat_map(|buffer| &buffer.values) {
            let (name, bytes, window) = memory.weight(program, value, weights)?;
            upload.write(window.buffer, window.offset, bytes)?;
            *uploaded.entry(name).or_default() += bytes.len() as u64;
        }
        upload.finish()?;
        // A weight may be several values, and all of it must be among them.
        for (name, bytes) in uploaded {
            let expected = weights.get(name).map_or(0, |all| all.len() as u64);
            if bytes != expected {
                return Err(MismatchError::WeightBytes {
                    name: name.to_owned(),
                    bytes,
                    expected,
                }
                .into());
            }
        }
        Ok(memory)
    }

    /// What weight `value` is of, its bytes and its window.
    fn weight<'p, 'w>(
        &self,
        program: &'p Program,
        value: ValueId,
        weights: &HashMap<&str, &'w [u8]>,
    ) -> Result<(&'p str, &'w [u8], Bound<'_>), MismatchError> {
        let no_weight = MismatchError::NoWeight { value };
        let Some(planned) = program.values.get(value.index()) else {
            return Err(no_weight);
        };
        let ValueKind::Weight { name, from } = &planned.kind else {
            return Err(no_weight);
        };
        let Some(&bytes) = weights.get(name.as_str()) else {
            return Err(no_weight);
        };
        let window = self.window(value)?;
        let (first, count) = (*from as usize, planned.bytes.min(window.size) as usize);
        let part = first
            .checked_add(count)
            .and_then(|end| bytes.get(first..end));
        match part {
            Some(part) if planned.bytes <= window.size => Ok((name, part, window)),
            _ => Err(MismatchError::WeightBytes {
                name: name.clone(),
                bytes: planned.bytes.min(window.size),
                expected: (bytes.len() - first.min(bytes.len())) as u64,
            }),
        }
    }

    /// The window of `value`.
    pub fn window(&self, value: ValueId) -> Result<Bound<'_>, MismatchError> {
        let window = self.plan.windows.get(value.index());
        let bound = window.and_then(|window| {
            let buffer = match window.place {
                Place::Arena(index) => self.arenas.get(index),
                Place::Weights(index) => self.weights.get(index),
            }?;
            let (offset, size) = (window.offset, window.size);
            let end = offset.checked_add(size)?;
            (end <= buffer.size()).then_some(Bound {
                buffer,
                offset,
                size,
            })
        });
        bound.ok_or(MismatchError::NoWindow { value })
    }

    /// The slot of the input or output `name`, one of `values`, for `bytes` bytes.
    pub fn slot(
        &self,
        values: &[(String, ValueId)],
        name: &str,
        bytes: u64,
    ) -> Result<Slot, MismatchError> {
        let value = values.iter().find(|(other, _)| other == name);
        let &(_, value) = value.ok_or_else(|| MismatchError::NoValue { name: name.into() })?;
        let Bound {
            buffer,
            offset,
            size,
        } = self.window(value)?;
        if bytes > size {
            return Err(MismatchError::WindowBytes {
                name: name.into(),
                bytes,
                window: size,
            });
        }
        Ok(Slot {
            buffer: buffer.clone(),
            offset,
            bytes,
        })
    }
}
