//! Finds a place for each block: best fit over the windows that are in use at the same time.

use std::cmp::Reverse;

use super::PlanError;
use super::liveness::Block;

/// Where blocks are, and how large that makes the arenas.
pub(super) struct Layout {
    /// Arena and offset of each block.
    pub places: Vec<(usize, u64)>,
    /// Bytes of each arena.
    pub arenas: Vec<u64>,
}

impl Layout {
    /// Bytes of all arenas.
    pub fn peak(&self) -> Result<u64, PlanError> {
        sum(self.arenas.iter().copied())
    }
}

/// Places `blocks` in arenas of at most `max_arena` bytes, so that blocks in use at the same time do
/// not overlap.
///
/// Blocks are taken from the largest down, and then once more in the order of their first use; the
/// lower peak wins. For a chain, where a block meets the one before and the one after it alone, the
/// first order stays within 3/2 of the lower bound: a block with at most one neighbour in place goes
/// to 0 or right above that neighbour, and one between two neighbours is at worst put above the upper
/// of them, which adds no more than the smaller half of a pair.
pub(super) fn place(blocks: &[Block], max_arena: u64) -> Result<Layout, PlanError> {
    let mut by_size: Vec<usize> = (0..blocks.len()).collect();
    let mut by_time = by_size.clone();
    by_size.sort_by_key(|&i| (Reverse(blocks[i].size), blocks[i].begin, i));
    by_time.sort_by_key(|&i| (blocks[i].begin, Reverse(blocks[i].size), i));
    let (by_size, by_time) = (
        fit(blocks, &by_size, max_arena),
        fit(blocks, &by_time, max_arena),
    );
    Ok(if by_time.peak()? < by_size.peak()? {
        by_time
    } else {
        by_size
    })
}

/// Bytes of the largest set of blocks that are in use at once.
pub(super) fn lower_bound(blocks: &[Block]) -> Result<u64, PlanError> {
    let mut by_begin: Vec<&Block> = blocks.iter().collect();
    let mut by_end = by_begin.clone();
    by_begin.sort_by_key(|block| block.begin);
    by_end.sort_by_key(|block| block.end);
    let mut ended = by_end.into_iter().peekable();
    let (mut live, mut largest) = (0_u64, 0);
    for block in by_begin {
        while let Some(gone) = ended.next_if(|gone| gone.end < block.begin) {
            live -= gone.size;
        }
        live = live.checked_add(block.size).ok_or(PlanError::Overflow)?;
        largest = largest.max(live);
    }
    Ok(largest)
}

fn sum(mut sizes: impl Iterator<Item = u64>) -> Result<u64, PlanError> {
    sizes
        .try_fold(0_u64, u64::checked_add)
        .ok_or(PlanError::Overflow)
}

/// Places blocks in `order`, each in the first arena that has room for it.
fn fit(blocks: &[Block], order: &[usize], max_arena: u64) -> Layout {
    let mut arenas: Vec<Arena> = Vec::new();
    let mut places = vec![(0, 0); blocks.len()];
    for &i in order {
        let found = arenas
            .iter()
            .enumerate()
            .find_map(|(n, arena)| Some((n, arena.gap(&blocks[i], max_arena)?)));
        let (arena, offset) = found.unwrap_or((arenas.len(), 0));
        if arena == arenas.len() {
            arenas.push(Arena::default());
        }
        arenas[arena].insert(offset, blocks[i]);
        places[i] = (arena, offset);
    }
    Layout {
        places,
        arenas: arenas.iter().map(Arena::size).collect(),
    }
}

/// The blocks of one arena with their offsets, in the order of these.
#[derive(Default)]
struct Arena(Vec<(u64, Block)>);

impl Arena {
    /// The offset of the smallest gap that holds `block` during its life; else the end of what is in
    /// use then, if that is within `max_arena`.
    fn gap(&self, block: &Block, max_arena: u64) -> Option<u64> {
        let mut free = 0;
        let mut best: Option<(u64, u64)> = None;
        for (offset, other) in self.0.iter().filter(|(_, other)| other.meets(block)) {
            let gap = offset.saturating_sub(free);
            if gap >= block.size && best.is_none_or(|(smallest, _)| gap < smallest) {
                best = Some((gap, free));
            }
            free = free.max(offset + other.size);
        }
        let end = || {
            free.checked_add(block.size)
                .filter(|&end| end <= max_arena)
                .map(|_| free)
        };
        best.map(|(_, offset)| offset).or_else(end)
    }

    fn insert(&mut self, offset: u64, block: Block) {
        let at = self.0.partition_point(|&(other, _)| other <= offset);
        self.0.insert(at, (offset, block));
    }

    fn size(&self) -> u64 {
        self.0
            .iter()
            .map(|(offset, block)| offset + block.size)
            .max()
            .unwrap_or(0)
    }
}
