//! Atomics whose order matters: what is known of each atomic word.
//!
//! Atomics never race, but few of them commute. Adding to a word and loading it without a barrier
//! between gives another sum in another order. Whether that makes a difference is seen by running in
//! another order; this says where to look when it does.

use super::shadow::Touch;
use crate::program::code::Update;

/// Two atomics of different invocations that nothing orders, and that do not commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// The byte address.
    pub address: u32,
    /// The later one.
    pub now: (Touch, Update),
    /// The earlier one.
    pub before: (Touch, Update),
}

/// What is known of one word.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    load: Touch,
    change: Option<(Touch, Update)>,
}

/// The words of one memory.
#[derive(Debug)]
pub struct Atomics {
    cells: Vec<Cell>,
    /// Whether workgroups share the memory.
    shared: bool,
}

impl Atomics {
    pub fn new(bytes: u32, shared: bool) -> Self {
        Self {
            cells: vec![Cell::default(); bytes.div_ceil(4) as usize],
            shared,
        }
    }

    /// An atomic: the one before it that does not commute with it, if nothing orders the two.
    pub fn access(&mut self, address: u32, op: Update, now: Touch) -> Option<Mix> {
        let shared = self.shared;
        let cell = self.cells.get_mut(address as usize / 4)?;
        let is_free = |before: &(Touch, Update)| {
            let (before, other) = *before;
            let unordered = if before.group == now.group {
                before.epoch == now.epoch && before.lane != now.lane
            } else {
                shared && before.group != 0
            };
            unordered && !commute(op, other)
        };
        let load = Some((cell.load, Update::Load));
        let found = cell.change.filter(is_free).or(load.filter(is_free));
        if op == Update::Load {
            cell.load = now;
        } else {
            cell.change = Some((now, op));
        }
        found.map(|before| Mix {
            address,
            now: (now, op),
            before,
        })
    }
}

/// Whether a word is the same whichever of the two comes first.
fn commute(a: Update, b: Update) -> bool {
    use Update::{Add, CompareExchange, Load, Store, Sub, Swap};
    match (a, b) {
        (Store | Swap | CompareExchange, _) | (_, Store | Swap | CompareExchange) => false,
        (Add | Sub, Add | Sub) | (Load, Load) => true,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::{Atomics, commute};
    use crate::memory::shadow::Touch;
    use crate::program::PlaceId;
    use crate::program::code::Update;

    fn touch(epoch: u32, lane: u32) -> Touch {
        Touch {
            group: 1,
            epoch,
            lane,
            at: PlaceId(0),
        }
    }

    #[test]
    fn a_load_beside_anothers_sum_is_a_mix_until_a_barrier() {
        let mut words = Atomics::new(8, false);
        assert_eq!(words.access(4, Update::Add, touch(0, 0)), None);
        assert_eq!(words.access(4, Update::Add, touch(0, 1)), None);
        let mix = words.access(4, Update::Load, touch(0, 2)).expect("a mix");
        assert_eq!(mix.before.0.lane, 1);
        assert_eq!(words.access(4, Update::Load, touch(1, 2)), None);
    }

    #[test]
    fn sums_commute_with_sums_and_the_others_with_their_own_kind_alone() {
        assert!(commute(Update::Add, Update::Sub));
        assert!(commute(Update::MaxU, Update::MaxU));
        assert!(!commute(Update::MaxU, Update::MinU));
        assert!(!commute(Update::Store, Update::Store));
        assert!(!commute(Update::CompareExchange, Update::CompareExchange));
    }
}
