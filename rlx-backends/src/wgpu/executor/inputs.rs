//! The inputs of a program: checked, then written to their windows.

use rlx_core::{Elem, Graph, Op, Program, ValueId};

use super::memory::{Memory, Slot};
use crate::error::BackendError;
use crate::signature::Signature;
use crate::tensor::{Tensor, TensorData};
use crate::wgpu::context::Context;

/// Where a program's inputs lie, and what they must be.
pub(super) struct Inputs {
    signature: Signature,
    /// By input of the signature.
    slots: Vec<Slot>,
    row_ids: Vec<RowIds>,
}

/// An input that picks rows of a weight, or experts. On the device an id past the last row would read zeros or
/// other rows without a word.
struct RowIds {
    /// Index of the input in the signature.
    input: usize,
    node: ValueId,
    op: String,
    rows: u64,
    of: &'static str,
}

impl Inputs {
    /// The inputs of `graph`, which was lowered to `program`.
    pub fn new(
        graph: &Graph,
        program: &Program,
        memory: &Memory<'_>,
    ) -> Result<Self, BackendError> {
        let signature = Signature::of(graph);
        let slots = signature.inputs().iter().map(|(name, shape, dtype)| {
            let bytes = Elem::Dense(*dtype).bytes_of(shape)?;
            Ok(memory.slot(&program.inputs, name, bytes)?)
        });
        let slots = slots.collect::<Result<_, BackendError>>()?;
        let row_ids = row_ids(graph, &signature);
        Ok(Self {
            signature,
            slots,
            row_ids,
        })
    }

    /// Checks `tensors` and writes each to its window, before whatever is submitted next.
    pub fn write(&self, context: &Context, tensors: &[(&str, Tensor)]) -> Result<(), BackendError> {
        let bound = self.signature.bind(tensors)?;
        self.row_ids
            .iter()
            .try_for_each(|ids| ids.check(bound[ids.input]))?;
        let filled = bound
            .iter()
            .zip(&self.slots)
            .filter(|(_, slot)| slot.bytes > 0);
        context.guard("writing the inputs", || {
            for (tensor, slot) in filled {
                context
                    .queue()
                    .write_buffer(&slot.buffer, slot.offset, bytes_of(tensor));
            }
        })?;
        Ok(())
    }
}

fn row_ids(graph: &Graph, signature: &Signature) -> Vec<RowIds> {
    let gathers = graph
        .nodes()
        .iter()
        .enumerate()
        .filter_map(|(index, node)| {
            let (w, ids, of) = match &node.op {
                Op::GatherRows { w, ids } => (w, ids, "rows"),
                Op::MatmulExperts { w, ids, .. } => (w, ids, "experts"),
                _ => return None,
            };
            let Op::Input { name } = &graph.node(*ids).ok()?.op else {
                return None;
            };
            let input = signature
                .inputs()
                .iter()
                .position(|(other, ..)| other == name)?;
            let &rows = graph.node(*w).ok()?.shape.dims().first()?;
            Some(RowIds {
                input,
                node: ValueId(index as u32),
                op: node.op.to_string(),
                rows,
                of,
            })
        });
    gathers.collect()
}

impl RowIds {
    fn check(&self, tensor: &Tensor) -> Result<(), BackendError> {
        let ids = tensor.data.as_u32().unwrap_or_default();
        match ids.iter().position(|&id| u64::from(id) >= self.rows) {
            None => Ok(()),
            Some(position) => {
                let Self {
                    node,
                    ref op,
                    rows,
                    of,
                    ..
                } = *self;
                Err(BackendError::RowId {
                    node,
                    op: op.clone(),
                    position,
                    id: ids[position],
                    rows,
                    of,
                })
            }
        }
    }
}

fn bytes_of(tensor: &Tensor) -> &[u8] {
    match &tensor.data {
        TensorData::F32(data) => bytemuck::cast_slice(data),
        TensorData::U32(data) => bytemuck::cast_slice(data),
    }
}
