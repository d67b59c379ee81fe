//! What is the same for all workgroups of a run.

use crate::finding::{Invocation, Source};
use crate::memory::Buffer;
use crate::memory::shadow::SUBGROUP;
use crate::options::{Order, SimOptions};
use crate::program::{MemoryId, PlaceId, Program};

/// What is the same for all workgroups of a run.
pub(crate) struct Run<'r> {
    pub program: &'r Program,
    pub options: &'r SimOptions,
    pub params: &'r [u8],
    pub overrides: &'r [i64],
    pub grid: [u32; 3],
    pub storage: &'r [Buffer],
    /// The binding that holds the memory of each.
    pub slots: Vec<usize>,
    pub subgroup_size: u32,
    /// The order in which invocations perform an access.
    pub order: Vec<u32>,
    /// The order in which workgroups run.
    pub group_order: Order,
    /// Who runs together where the program has turns, first to last: all ones for an invocation of a
    /// part.
    pub parts: Vec<Box<[u32]>>,
    /// The bytes of each storage binding that may be written.
    pub windows: Vec<std::ops::Range<u64>>,
}

impl Run<'_> {
    /// The memory that holds what `id` binds.
    pub fn slot(&self, id: MemoryId) -> usize {
        let index = id.0 as usize;
        self.slots.get(index).copied().unwrap_or(index)
    }

    /// The source of a place.
    pub fn source(&self, at: PlaceId) -> Source {
        let place = self.program.places.get(at.0 as usize).copied();
        let place = place.unwrap_or_default();
        let file = self.program.files.get(place.file as usize);
        Source {
            file: file.cloned().unwrap_or_default(),
            line: place.line,
            column: place.column,
        }
    }

    /// Invocation `lane` of a workgroup; of a subgroup, its first.
    pub fn invocation(&self, workgroup: [u32; 3], lane: u32) -> Invocation {
        let lane = lane & !SUBGROUP;
        let [wide, high, _] = self.program.workgroup_size.map(|size| size.max(1));
        Invocation {
            workgroup,
            local: [lane % wide, lane / wide % high, lane / wide / high],
            local_index: lane,
        }
    }

    /// Where the `serial`-th workgroup of the run lies in the grid.
    pub fn group(&self, serial: u32) -> [u32; 3] {
        let count = self.grid.iter().product();
        let order = self.group_order.of(count);
        let index = order
            .get(serial.saturating_sub(1) as usize)
            .copied()
            .unwrap_or(0);
        self.group_at(index)
    }

    /// Workgroup `index` of the grid, counted along x first.
    pub fn group_at(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.grid.map(|count| count.max(1));
        [index % x, index / x % y, index / x / y]
    }
}
