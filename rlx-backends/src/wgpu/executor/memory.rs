//! The buffers of a plan, with the weights in theirs.

use std::collections::HashMap;

use rlx_core::{
    Graph, Op, Place, Plan, Program, ProgramValue, ValueId, ValueKind, Weights, Window,
};
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

/// What executors that are made together have in common.
#[derive(Default)]
pub struct Shared {
    /// Parts of weights by name, first byte and bytes.
    weights: HashMap<(String, u64, u64), Slot>,
    /// By name.
    states: HashMap<String, wgpu::Buffer>,
}

/// A plan's buffers.
pub(super) struct Memory<'a> {
    plan: &'a Plan,
    arenas: Vec<wgpu::Buffer>,
    states: Vec<wgpu::Buffer>,
    /// The window of each weight.
    weights: HashMap<ValueId, Slot>,
}

/// A weight, or some of its rows, as they are planned.
struct Part<'p, 'w> {
    value: ValueId,
    name: &'p str,
    /// The first of the weight's bytes.
    from: u64,
    bytes: &'w [u8],
    window: Window,
}

impl Part<'_, '_> {
    fn key(&self) -> (String, u64, u64) {
        (self.name.to_owned(), self.from, self.bytes.len() as u64)
    }
}

/// The buffers of the states of `program`, made where they are not `shared` yet.
fn states(
    context: &Context,
    program: &Program,
    plan: &Plan,
    shared: &mut Shared,
) -> Result<Vec<wgpu::Buffer>, BackendError> {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let buffers = plan.states.iter().map(|&value| {
        let no_window = MismatchError::NoWindow { value };
        let planned = program.values.get(value.index());
        let window = plan.windows.get(value.index());
        let (
            Some(ProgramValue {
                kind: ValueKind::State { name },
                ..
            }),
            Some(window),
        ) = (planned, window)
        else {
            return Err(no_window.into());
        };
        if let Some(buffer) = shared.states.get(name) {
            if buffer.size() < window.size {
                return Err(no_window.into());
            }
            return Ok(buffer.clone());
        }
        let label = format_args!("state `{name}` of {} bytes", window.size);
        let buffer = context.buffer(label, window.size, usage)?;
        shared.states.insert(name.clone(), buffer.clone());
        Ok(buffer)
    });
    buffers.collect()
}

/// The window of an input or output, without padding.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub buffer: wgpu::Buffer,
    pub offset: u64,
    pub bytes: u64,
}

impl<'a> Memory<'a> {
    /// Makes the buffers, all bytes zero, and uploads each weight to its window; states and weights that are
    /// `shared` are taken from there.
    pub fn new(
        context: &Context,
        program: &Program,
        plan: &'a Plan,
        weights: &HashMap<&str, &[u8]>,
        shared: &mut Shared,
    ) -> Result<Self, BackendError> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let arenas = plan.arenas.iter().enumerate().map(|(index, &size)| {
            context.buffer(format_args!("arena {index} of {size} bytes"), size, usage)
        });
        let mut memory = Self {
            plan,
            arenas: arenas.collect::<Result<_, _>>()?,
            states: states(context, program, plan, shared)?,
            weights: HashMap::new(),
        };
        let mut uploaded: HashMap<&str, u64> = HashMap::new();
        let mut missing = Vec::new();
        for (index, buffer) in plan.weights.iter().enumerate() {
            let mut parts = Vec::new();
            for &value in &buffer.values {
                let part = memory.weight(program, value, weights)?;
                *uploaded.entry(part.name).or_default() += part.bytes.len() as u64;
                match shared.weights.get(&part.key()) {
                    Some(slot) => {
                        memory.weights.insert(value, slot.clone());
                    }
                    None => parts.push(part),
                }
            }
            if !parts.is_empty() {
                let label = format_args!("weight buffer {index} of {} bytes", buffer.size);
                missing.push((context.buffer(label, buffer.size, usage)?, parts));
            }
        }
        let bytes = missing.iter().flat_map(|(_, parts)| parts);
        let bytes = bytes.map(|part| part.bytes.len() as u64).sum();
        let mut upload = Upload::new(context, bytes)?;
        for (buffer, parts) in missing {
            for part in parts {
                upload.write(&buffer, part.window.offset, part.bytes)?;
                let slot = Slot {
                    buffer: buffer.clone(),
                    offset: part.window.offset,
                    bytes: part.window.size,
                };
                shared.weights.insert(part.key(), slot.clone());
                memory.weights.insert(part.value, slot);
            }
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
    ) -> Result<Part<'p, 'w>, MismatchError> {
        let no_weight = MismatchError::NoWeight { value };
        let Some(planned) = program.values.get(value.index()) else {
            return Err(no_weight);
        };
        let ValueKind::Weight { name, from } = &planned.kind else {
            return Err(no_weight);
        };
        let (Some(&bytes), Some(&window)) = (
            weights.get(name.as_str()),
            self.plan.windows.get(value.index()),
        ) else {
            return Err(no_weight);
        };
        let buffer = match window.place {
            Place::Weights(index) => self.plan.weights.get(index),
            Place::Arena(_) | Place::State(_) => None,
        };
        let end = window.offset.checked_add(window.size);
        if buffer
            .zip(end)
            .is_none_or(|(buffer, end)| end > buffer.size.next_multiple_of(4))
        {
            return Err(MismatchError::NoWindow { value });
        }
        let (first, count) = (*from as usize, planned.bytes.min(window.size) as usize);
        let part = first
            .checked_add(count)
            .and_then(|end| bytes.get(first..end));
        match part {
            Some(bytes) if planned.bytes <= window.size => Ok(Part {
                value,
                name,
                from: *from,
                bytes,
                window,
            }),
            _ => Err(MismatchError::WeightBytes {
                name: name.clone(),
                bytes: planned.bytes.min(window.size),
                expected: (bytes.len() - first.min(bytes.len())) as u64,
            }),
        }
    }

    /// The window of `value`.
    pub fn window(&self, value: ValueId) -> Result<Bound<'_>, MismatchError> {
        if let Some(slot) = self.weights.get(&value) {
            return Ok(Bound {
                buffer: &slot.buffer,
                offset: slot.offset,
                size: slot.bytes,
            });
        }
        let window = self.plan.windows.get(value.index());
        let bound = window.and_then(|window| {
            let buffer = match window.place {
                Place::Arena(index) => self.arenas.get(index),
                Place::State(index) => self.states.get(index),
                Place::Weights(_) => None,
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
