//! The tensors of a file: what each is and where its bytes lie.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::sync::Arc;

use super::cursor::Cursor;
use super::error::{Fault, Field, Malformed};
use super::types::TensorType;

/// The most dims that a tensor may have (ggml's `GGML_MAX_DIMS`).
pub const RANK_LIMIT: usize = 4;

/// The least bytes that a tensor's entry takes: a name's length, no dims, a type and an offset.
pub(super) const ENTRY_LEAST: u64 = 8 + 4 + 4 + 8;

/// A tensor of a file: its entry, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    name: Arc<str>,
    dims: [u64; RANK_LIMIT],
    rank: usize,
    ty: TensorType,
    offset: u64,
    size: u64,
    offset_at: u64,
}

impl Tensor {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The dims exactly as in the file, each at least 1: `dims()[0]` is the fastest, the length of
    /// a row. A tensor without dims holds one element.
    pub fn dims(&self) -> &[u64] {
        self.dims.get(..self.rank).unwrap_or(&self.dims)
    }

    /// The type.
    pub fn tensor_type(&self) -> TensorType {
        self.ty
    }

    /// Elements of the whole tensor.
    pub fn elems(&self) -> u64 {
        // Checked when the tensor was read.
        self.dims().iter().product()
    }

    /// Where the bytes begin, from the first of the data section: a multiple of the alignment.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of the whole tensor.
    pub fn size(&self) -> u64 {
        self.size
    }

    fn read(cursor: &mut Cursor<'_>, index: usize) -> Result<Self, Malformed> {
        let name = cursor.name(Field::TensorName(index))?;
        let rank_at = cursor.at();
        let found = u64::from(cursor.u32(Field::Rank(name))?);
        if found > RANK_LIMIT as u64 {
            let fault = Fault::Rank {
                found,
                limit: RANK_LIMIT as u64,
            };
            return Err(Field::Rank(name).fault(rank_at, fault));
        }
        let rank = found as usize;
        let dims_at = cursor.at();
        let mut dims = [1; RANK_LIMIT];
        for (axis, dim) in dims.iter_mut().take(rank).enumerate() {
            *dim = cursor.u64(Field::Dim(name, axis))?;
        }
        let type_at = cursor.at();
        let number = cursor.u32(Field::Type(name))?;
        let ty = TensorType::from_number(number)
            .map_err(|error| Field::Type(name).fault(type_at, error.into()))?;
        let size = size_of(dims.get(..rank).unwrap_or(&dims), ty).map_err(|fault| match fault {
            Fault::ZeroDim { axis } => {
                Field::Dim(name, axis).fault(dims_at + 8 * axis as u64, fault)
            }
            Fault::RowLength { .. } => Field::Dim(name, 0).fault(dims_at, fault),
            fault => Field::Dims(name).fault(dims_at, fault),
        })?;
        let offset_at = cursor.at();
        let offset = cursor.u64(Field::Offset(name))?;
        Ok(Self {
            name: name.into(),
            dims,
            rank,
            ty,
            offset,
            size,
            offset_at,
        })
    }

    fn fault(&self, fault: Fault) -> Malformed {
        Field::Offset(&self.name).fault(self.offset_at, fault)
    }

    /// Bytes in the blocks that a fork gives the number of Q2_0, where the tensor is of that type.
    fn fork_size(&self) -> Option<u64> {
        let fork = TensorType {
            elems: 128,
            bytes: 34,
            ..self.ty
        };
        let row = self.dims().first().copied().unwrap_or(1);
        let fits = self.ty.name == "Q2_0" && row.is_multiple_of(u64::from(fork.elems));
        fits.then(|| fork.size_of(self.elems())).flatten()
    }
}

/// Bytes of a tensor of `dims`, the fastest first.
pub(super) fn size_of(dims: &[u64], ty: TensorType) -> Result<u64, Fault> {
    if let Some(axis) = dims.iter().position(|dim| *dim == 0) {
        return Err(Fault::ZeroDim { axis });
    }
    let row = dims.first().copied().unwrap_or(1);
    if !row.is_multiple_of(u64::from(ty.elems)) {
        return Err(Fault::RowLength { row, ty });
    }
    let elems = dims
        .iter()
        .try_fold(1_u64, |elems, dim| elems.checked_mul(*dim));
    elems
        .and_then(|elems| ty.size_of(elems))
        .ok_or_else(|| Fault::Overflow {
            dims: dims.into(),
            ty,
        })
}

/// The tensors of a file, in its order.
#[derive(Debug, Default)]
pub(super) struct Tensors {
    list: Vec<Tensor>,
    by_name: HashMap<Arc<str>, usize>,
}

impl Tensors {
    /// Reads the entries; their offsets are not checked yet.
    pub(super) fn read(cursor: &mut Cursor<'_>, count: usize) -> Result<Self, Malformed> {
        let mut tensors = Self::default();
        for index in 0..count {
            let at = cursor.at();
            let tensor = Tensor::read(cursor, index)?;
            match tensors.by_name.entry(Arc::clone(&tensor.name)) {
                Slot::Vacant(slot) => slot.insert(index),
                Slot::Occupied(slot) => {
                    let (name, first) = (tensor.name().to_owned(), *slot.get());
                    let fault = Fault::DuplicateTensor { name, first };
                    return Err(Field::TensorName(index).fault(at, fault));
                }
            };
            tensors.list.push(tensor);
        }
        Ok(tensors)
    }

    /// Checks that each tensor is aligned and lies in the `length` bytes of the data section, which
    /// begins at byte `data` of the file, and that no two share a byte.
    pub(super) fn check(&self, alignment: u32, data: u64, length: u64) -> Result<(), Malformed> {
        for tensor in &self.list {
            let Tensor { offset, size, .. } = *tensor;
            if !offset.is_multiple_of(u64::from(alignment)) {
                return Err(tensor.fault(Fault::Misaligned { offset, alignment }));
            }
            if offset >= length {
                return Err(tensor.fault(Fault::PastEnd {
                    size,
                    offset,
                    data,
                    length,
                }));
            }
        }
        let mut order: Vec<&Tensor> = self.list.iter().collect();
        order.sort_by_key(|tensor| tensor.offset);
        for (place, tensor) in order.iter().enumerate() {
            let Tensor {
                ty, offset, size, ..
            } = **tensor;
            let next = order.get(place + 1);
            let room = next.map_or(length, |next| next.offset) - offset;
            if size <= room {
                continue;
            }
            // A file of a fork leaves exactly its own blocks and their padding, a file that was cut
            // short anything.
            let padding = 0..u64::from(alignment);
            let rest = tensor.fork_size().and_then(|size| room.checked_sub(size));
            if rest.is_some_and(|rest| padding.contains(&rest)) {
                return Err(tensor.fault(Fault::ForkBlocks { ty, size, room }));
            }
            return Err(tensor.fault(match next {
                Some(next) if size <= length - offset => {
                    let (other, next) = (next.name().to_owned(), next.offset);
                    Fault::Overlap {
                        size,
                        offset,
                        other,
                        next,
                    }
                }
                _ => Fault::PastEnd {
                    size,
                    offset,
                    data,
                    length,
                },
            }));
        }
        Ok(())
    }

    pub(super) fn list(&self) -> &[Tensor] {
        &self.list
    }

    pub(super) fn get(&self, name: &str) -> Option<&Tensor> {
        self.by_name
            .get(name)
            .and_then(|index| self.list.get(*index))
    }
}
