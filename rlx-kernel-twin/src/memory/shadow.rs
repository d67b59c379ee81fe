//! Who wrote and who read each place in memory.

use crate::program::PlaceId;

/// In [`Touch::lane`]: the access is one of the whole subgroup that begins with that invocation. Nobody
/// knows which of its invocations touches what, so a place that it has written is as another's to it.
pub const SUBGROUP: u32 = 1 << 31;

/// One access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// The workgroup's number in the run, from 1; 0 for nobody.
    pub group: u32,
    /// Barriers of its workgroup before it.
    pub epoch: u32,
    /// The invocation.
    pub lane: u32,
    /// Where.
    pub at: PlaceId,
}

/// What is known of one place.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// The last write.
    write: Touch,
    /// The last read.
    read: Touch,
    /// The last read by another invocation since the same barrier.
    other: Touch,
    /// The first read of the run.
    first: Touch,
    /// The first read by another workgroup.
    far: Touch,
}

/// Two accesses that nothing orders.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// The earlier access.
    pub other: Touch,
    /// Whether it wrote.
    pub wrote: bool,
}

/// The shadow of one memory.
#[derive(Debug)]
pub struct Shadow {
    cells: Vec<Cell>,
    granule: u32,
    /// Whether workgroups share the memory.
    shared: bool,
    /// Whether it holds something before anyone writes.
    filled: bool,
}

impl Shadow {
    pub fn new(bytes: u32, granule: u32, shared: bool, filled: bool) -> Self {
        let granule = granule.max(1);
        Self {
            cells: vec![Cell::default(); bytes.div_ceil(granule) as usize],
            granule,
            shared,
            filled,
        }
    }

    /// Bytes of the memory.
    pub fn bytes(&self) -> u32 {
        self.cells.len() as u32 * self.granule
    }

    fn conflicts(&self, earlier: Touch, now: Touch) -> bool {
        if earlier.group == now.group {
            earlier.epoch == now.epoch && earlier.lane != now.lane
        } else {
            self.shared && earlier.group != 0
        }
    }

    /// Whether nothing orders an access after `earlier`, which wrote.
    fn conflicts_with_write(&self, earlier: Touch, now: Touch) -> bool {
        let is_own =
            (earlier.group, earlier.epoch, earlier.lane) == (now.group, now.epoch, now.lane);
        is_own && now.lane & SUBGROUP != 0 || self.conflicts(earlier, now)
    }

    /// A read: with whom it conflicts, and whether there is something to read.
    pub fn read(&mut self, address: u32, now: Touch) -> (Option<Conflict>, bool) {
        let index = (address / self.granule) as usize;
        let Some(cell) = self.cells.get(index).copied() else {
            return (None, true);
        };
        let conflict = self
            .conflicts_with_write(cell.write, now)
            .then_some(Conflict {
                other: cell.write,
                wrote: true,
            });
        let is_written = if self.shared {
            self.filled || cell.write.group != 0
        } else {
            cell.write.group == now.group
        };
        if let Some(cell) = self.cells.get_mut(index) {
            if (cell.read.group, cell.read.epoch) != (now.group, now.epoch) {
                cell.other = Touch::default();
            } else if cell.read.lane != now.lane {
                cell.other = cell.read;
            }
            cell.read = now;
            if self.shared {
                if cell.first.group == 0 {
                    cell.first = now;
                } else if cell.far.group == 0 && cell.first.group != now.group {
                    cell.far = now;
                }
            }
        }
        (conflict, is_written)
    }

    /// The last write to a place; none where nobody wrote.
    pub fn last_write(&self, address: u32) -> Option<Touch> {
        let cell = self.cells.get((address / self.granule) as usize)?;
        (cell.write.group != 0).then_some(cell.write)
    }

    /// A write: with whom it conflicts.
    pub fn write(&mut self, address: u32, now: Touch) -> Option<Conflict> {
        let index = (address / self.granule) as usize;
        let cell = self.cells.get(index).copied()?;
        let wrote = [cell.write].into_iter().map(|other| (other, true));
        let read = [cell.read, cell.other, cell.first, cell.far];
        let read = read.into_iter().map(|other| (other, false));
        let conflict = wrote
            .chain(read)
            .find(|(other, wrote)| {
                let is_unordered = if *wrote {
                    self.conflicts_with_write(*other, now)
                } else {
                    self.conflicts(*other, now)
                };
                other.group != 0 && is_unordered
            })
            .map(|(other, wrote)| Conflict { other, wrote });
        if let Some(cell) = self.cells.get_mut(index) {
            cell.write = now;
            cell.read = Touch::default();
            cell.other = Touch::default();
        }
        conflict
    }
}

#[cfg(test)]
mod tests {
    use super::{Shadow, Touch};
    use crate::program::PlaceId;

    fn touch(group: u32, epoch: u32, lane: u32) -> Touch {
        Touch {
            group,
            epoch,
            lane,
            at: PlaceId(0),
        }
    }

    #[test]
    fn a_read_after_anothers_write_is_a_conflict_until_a_barrier() {
        let mut shadow = Shadow::new(64, 4, false, false);
        assert!(shadow.write(8, touch(1, 0, 3)).is_none());
        assert!(shadow.read(8, touch(1, 0, 3)).0.is_none());
        assert!(shadow.read(8, touch(1, 0, 4)).0.is_some());
        assert!(shadow.read(8, touch(1, 1, 4)).0.is_none());
    }

    #[test]
    fn a_write_conflicts_with_any_other_reader_of_the_same_epoch() {
        let mut shadow = Shadow::new(64, 4, false, false);
        shadow.write(0, touch(1, 0, 0));
        shadow.read(0, touch(1, 1, 5));
        shadow.read(0, touch(1, 1, 6));
        assert!(shadow.write(0, touch(1, 1, 6)).is_some());
        shadow.read(0, touch(1, 2, 6));
        assert!(shadow.write(0, touch(1, 2, 6)).is_none());
    }

    #[test]
    fn what_a_subgroup_wrote_together_conflicts_with_its_own_next_access() {
        let together = 4 | super::SUBGROUP;
        let mut shadow = Shadow::new(64, 4, false, false);
        assert!(shadow.write(0, touch(1, 0, together)).is_none());
        assert!(shadow.read(0, touch(1, 0, together)).0.is_some());
        assert!(shadow.read(0, touch(1, 1, together)).0.is_none());
        // Its product cannot be there before all have read what went into it.
        assert!(shadow.write(0, touch(1, 1, together)).is_none());
        assert!(shadow.write(0, touch(1, 1, together)).is_some());
        assert!(shadow.write(4, touch(1, 1, 4)).is_none());
        assert!(shadow.read(4, touch(1, 1, together)).0.is_some());
    }

    #[test]
    fn workgroups_conflict_in_shared_memory_whatever_barriers_they_pass() {
        let mut shadow = Shadow::new(64, 4, true, true);
        shadow.read(0, touch(1, 0, 0));
        shadow.write(0, touch(1, 1, 0));
        assert!(shadow.write(0, touch(2, 5, 0)).is_some());
        let mut own = Shadow::new(64, 4, false, false);
        own.write(0, touch(1, 0, 0));
        assert!(
            !own.read(0, touch(2, 0, 0)).1,
            "memory of a workgroup begins anew"
        );
    }
}
