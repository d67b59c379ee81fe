//! Weights in parts, where a device cannot bind a whole one.

use super::{LowerError, Lowering};
use crate::graph::{Node, ValueId};
use crate::program::{ProgramValue, ValueKind};

/// Weights of a part at most: kernels count them with 32 bits, and look past their end by a tile.
const MOST_ELEMS: u64 = 1 << 31;

/// Bytes of a part at most: kernels find them with 32 bits.
const MOST_BYTES: u64 = (1 << 32) - (1 << 12);

/// Some of a weight's units, the rows of a matrix or the matrices of experts, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    /// The value that holds them.
    pub value: ValueId,
    /// The first.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

/// What cannot be divided: a row, or the matrix of an expert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// How many of them the weight is.
    pub count: u32,
    /// Weights of each.
    pub elems: u64,
    /// Bytes of each.
    pub bytes: u64,
}

impl Unit {
    /// How many of each part, as even as can be and none larger than `binding_bytes`: one part where that
    /// holds all, or where it does not even hold a unit.
    pub fn parts(&self, binding_bytes: u64) -> Vec<u32> {
        let Self {
            count,
            elems,
            bytes,
        } = *self;
        let by_bytes = binding_bytes.min(MOST_BYTES).checked_div(bytes);
        let by_elems = MOST_ELEMS.checked_div(elems);
        let most = by_bytes.zip(by_elems).map_or(0, |(a, b)| a.min(b));
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        if most == 0 || count <= most {
            return vec![count];
        }
        let each = count.div_ceil(count.div_ceil(most));
        let mut parts = vec![each; (count / each) as usize];
        parts.extend(Some(count % each).filter(|rest| *rest > 0));
        parts
    }
}

impl Lowering<'_> {
    /// A weight, in parts where it is too large to be bound.
    pub(super) fn weight(
        &mut self,
        id: ValueId,
        node: &Node,
        name: &str,
        bytes: u64,
    ) -> Result<(), LowerError> {
        let dims = node.shape.dims();
        let whole = Unit {
            count: 1,
            elems: Self::elems(id, node, &node.shape)?,
            bytes,
        };
        // The rows of a matrix, the matrices of experts.
        let unit = match *dims {
            [count, _] | [count, _, _] if count > 0 => Unit {
                count: Self::count32(id, node, "the first extent", count)?,
                elems: whole.elems / count,
                bytes: bytes / count,
            },
            _ => whole,
        };
        let mut shards = Vec::new();
        let mut first = 0;
        for count in unit.parts(self.options.binding_bytes) {
            let bytes = u64::from(count) * unit.bytes;
            let kind = ValueKind::Weight {
                name: name.to_owned(),
                from: u64::from(first) * unit.bytes,
            };
            let value = if first == 0 {
                self.program.values.push(ProgramValue {
                    bytes,
                    kind,
                    alias_of: None,
                });
                id
            } else {
                self.own_value(bytes, kind)
            };
            shards.push(Shard {
                value,
                first,
                count,
            });
            first += count;
        }
        self.shards.insert(id, shards);
        Ok(())
    }

    /// The parts of a weight; an operand that is none is whole.
    pub(super) fn shards(&self, w: ValueId) -> Vec<Shard> {
        self.shards.get(&w).cloned().unwrap_or_else(|| {
            let count = self.graph.nodes()[w.index()].shape.dims().first();
            vec![Shard {
                value: w,
                first: 0,
                // Whoever takes its rows has counted them.
                count: count.map_or(1, |count| *count as u32),
            }]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Unit;

    #[test]
    fn parts_are_even_and_within_the_limit() {
        let unit = |count| Unit {
            count,
            elems: 1024,
            bytes: 576,
        };
        assert_eq!(unit(100).parts(57_600), [100]);
        assert_eq!(unit(101).parts(57_600), [51, 50]);
        assert_eq!(unit(301).parts(57_600), [76, 76, 76, 73]);
        assert_eq!(unit(7).parts(575), [7]);
        assert_eq!(unit(0).parts(57_600), [0]);
    }

    #[test]
    fn no_part_has_more_than_kernels_count() {
        // Two bits a weight: four billion of them are a gigabyte.
        let small = Unit {
            count: 1 << 22,
            elems: 1024,
            bytes: 256,
        };
        assert_eq!(small.parts(u64::MAX), [1 << 21, 1 << 21]);
        let large = Unit {
            count: 3 << 20,
            elems: 1024,
            bytes: 4096,
        };
        let parts = large.parts(u64::MAX);
        assert_eq!(parts.iter().sum::<u32>(), 3 << 20);
        assert!(parts.iter().all(|part| u64::from(*part) * 4096 < 1 << 32));
    }
}
