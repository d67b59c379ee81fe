//! Atomics.

use std::sync::atomic::Ordering::Relaxed;

use super::{MAX_MIXES, Machine, NOWHERE};
use crate::memory::atomics::Mix;
use crate::memory::shadow::Touch;
use crate::program::code::Update;
use crate::program::{MemoryId, PlaceId, Reg};

impl Machine<'_> {
    /// Takes note of two atomics whose order may matter.
    fn mix(&mut self, id: MemoryId, place: u32, op: Update, now: Touch) {
        let slot = self.run.slot(id);
        let words = self.atomics.get_mut(slot).and_then(Option::as_mut);
        let Some(mix) = words.and_then(|words| words.access(place, op, now)) else {
            return;
        };
        // Either may come first.
        let places = |mix: &Mix| {
            let (now, before) = (mix.now.0.at, mix.before.0.at);
            (now.min(before), now.max(before))
        };
        let mut known = self.mixes.iter();
        let is_known = known.any(|(_, known)| places(known) == places(&mix));
        if !is_known && self.mixes.len() < MAX_MIXES {
            self.mixes.push((id, mix));
        }
    }

    pub(super) fn atomic(
        &mut self,
        op: Update,
        to: Reg,
        (id, address, offset): (MemoryId, Option<Reg>, u32),
        [a, b]: [Reg; 2],
        at: PlaceId,
    ) {
        let Some(memory) = self.memory(id) else {
            return;
        };
        let mut out = self.take(to);
        let run = self.run;
        for lane in &run.order {
            let lane = *lane as usize;
            if !self.is_active(lane) {
                continue;
            }
            let base = address.map_or(0, |address| self.word(address, lane));
            let Some(place) = base.checked_add(offset).filter(|_| base != NOWHERE) else {
                continue;
            };
            let now = self.touch(memory, lane, at);
            self.mix(id, place, op, now);
            if op != Update::Load {
                self.declared(memory, id, lane, place, at);
                if let Some(shadow) = self.shadow(id) {
                    shadow.write(place, now);
                }
            }
            let (a, b) = (self.word(a, lane), self.word(b, lane));
            let Some(word) = self.buffer(id).and_then(|buffer| buffer.word(place)) else {
                continue;
            };
            let before = match op {
                Update::Load => word.load(Relaxed),
                Update::Store | Update::Swap => word.swap(a, Relaxed),
                Update::Add => word.fetch_add(a, Relaxed),
                Update::Sub => word.fetch_sub(a, Relaxed),
                Update::MinU => word.fetch_min(a, Relaxed),
                Update::MaxU => word.fetch_max(a, Relaxed),
                Update::And => word.fetch_and(a, Relaxed),
                Update::Or => word.fetch_or(a, Relaxed),
                Update::Xor => word.fetch_xor(a, Relaxed),
                Update::MinI | Update::MaxI => {
                    let new = |old: u32| {
                        let (old, a) = (old as i32, a as i32);
                        let new = if op == Update::MinI {
                            old.min(a)
                        } else {
                            old.max(a)
                        };
                        Some(new as u32)
                    };
                    let updated = word.fetch_update(Relaxed, Relaxed, new);
                    updated.unwrap_or_else(|old| old)
                }
                Update::CompareExchange => word
                    .compare_exchange(a, b, Relaxed, Relaxed)
                    .unwrap_or_else(|old| old),
            };
            if let Some(out) = out.get_mut(lane) {
                *out = before;
            }
        }
        self.give(to, out);
    }
}
