//! What the invocations of a subgroup do together.

use super::arithmetic::to_f16;
use super::{Machine, Sink};
use crate::finding::Check;
use crate::program::code::{Move, Reduce, Scan};
use crate::program::{PlaceId, Reg, Regs};

/// What stands for the value of an invocation that is not there: WGSL says nothing of it.
const NOBODY: u32 = 0xaaaa_aaaa;

impl Machine<'_> {
    /// The lanes of each subgroup.
    pub(super) fn subgroups(&self) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let (size, lanes) = (self.run.subgroup_size as usize, self.active.len());
        (0..lanes)
            .step_by(size.max(1))
            .map(move |first| first..(first + size).min(lanes))
    }

    /// A finding where some of a subgroup does not come.
    pub(super) fn together(&mut self, at: PlaceId) {
        if self.is_full() || !self.looks_for(Check::DivergentSubgroup) {
            return;
        }
        for lanes in self.subgroups() {
            let (here, missing): (Vec<usize>, Vec<usize>) =
                lanes.partition(|lane| self.is_active(*lane));
            let (Some(first), Some(absent)) = (here.first(), missing.first()) else {
                continue;
            };
            let check = Check::DivergentSubgroup;
            let count = missing.len() as u64;
            if self.sink.again(check, (at, at), count) {
                continue;
            }
            let size = here.len() + missing.len();
            let message = format!(
                "this subgroup operation is reached by {} of the {size} invocations of a subgroup",
                here.len()
            );
            let help = "take it out of the branch, and give it a neutral value where there is nothing to add";
            let mut finding = Sink::finding(self.run, check, at, message, help);
            finding.notes.push(self.whereabouts(*absent));
            let who = Some(self.who(*first));
            self.sink.add(finding, (at, at), count, who);
        }
    }

    pub(super) fn reduce(&mut self, op: Reduce, scan: Scan, to: Reg, a: Reg, at: PlaceId) {
        self.together(at);
        let mut out = self.take(to);
        for lanes in self.subgroups() {
            let mut sum = neutral(op);
            for lane in lanes.clone().filter(|lane| self.is_active(*lane)) {
                let before = sum;
                sum = combine(op, sum, self.word(a, lane));
                if let Some(out) = out.get_mut(lane) {
                    *out = if scan == Scan::Exclusive { before } else { sum };
                }
            }
            if scan == Scan::All {
                for lane in lanes {
                    if let Some(out) = out.get_mut(lane) {
                        *out = sum;
                    }
                }
            }
        }
        let finite = |machine: &Self, lane: usize| {
            let size = machine.run.subgroup_size as usize;
            let first = lane / size * size;
            (first..first + size)
                .filter(|lane| machine.is_active(*lane))
                .all(|lane| !super::lanes::is_not_finite(machine.word(a, lane)))
        };
        let name = match op {
            Reduce::AddF | Reduce::AddH => "subgroup_add",
            Reduce::MulF | Reduce::MulH => "subgroup_mul",
            _ => return self.give(to, out),
        };
        self.finite(&out, at, finite, |_, _| name.to_owned());
        self.give(to, out);
    }

    pub(super) fn shift(&mut self, op: Move, to: Reg, a: Reg, by: Reg, at: PlaceId) {
        self.together(at);
        let mut out = self.take(to);
        for lanes in self.subgroups() {
            let first = lanes.clone().find(|lane| self.is_active(*lane));
            let base = lanes.start as u32;
            for lane in lanes.clone() {
                if !self.is_active(lane) {
                    continue;
                }
                let by = self.word(by, lane);
                let me = lane as u32 - base;
                let from = match op {
                    Move::First => first.map(|first| first as u32 - base),
                    Move::Broadcast | Move::Shuffle => Some(by),
                    Move::Xor => Some(me ^ by),
                    Move::Up => me.checked_sub(by),
                    Move::Down => me.checked_add(by),
                };
                let source = from
                    .and_then(|from| from.checked_add(base))
                    .map(|from| from as usize)
                    .filter(|from| lanes.contains(from) && self.is_active(*from));
                let value = source.map_or(NOBODY, |source| self.word(a, source));
                if let Some(out) = out.get_mut(lane) {
                    *out = value;
                }
                // The ends of `up` and `down` have no neighbour: what they get is seldom used.
                if source.is_none() && matches!(op, Move::Broadcast | Move::Shuffle | Move::Xor) {
                    self.nobody(from.unwrap_or(by), lanes.len(), lane, at);
                }
            }
        }
        self.give(to, out);
    }

    fn nobody(&mut self, from: u32, size: usize, lane: usize, at: PlaceId) {
        let check = Check::SubgroupLane;
        if !self.looks_for(check) || self.sink.again(check, (at, at), 1) {
            return;
        }
        let message = format!(
            "the value of invocation {from} of the subgroup is asked for, which has {size} invocations here"
        );
        let help = "devices have subgroups of 4 to 128 invocations: go by `subgroup_size()`";
        let finding = Sink::finding(self.run, check, at, message, help);
        let who = Some(self.who(lane));
        self.sink.add(finding, (at, at), 1, who);
    }

    pub(super) fn ballot(&mut self, to: Regs, a: Reg, at: PlaceId) {
        self.together(at);
        for word in 0..to.count {
            let mut out = self.take(to.at(word));
            for lanes in self.subgroups() {
                let base = lanes.start;
                let says = |lane: &usize| {
                    let is_here = (lane - base) as u32 / 32 == word;
                    is_here && self.is_active(*lane) && self.word(a, *lane) != 0
                };
                let bits = lanes.clone().filter(says);
                let bits = bits.fold(0, |bits, lane| bits | 1 << ((lane - base) % 32));
                for lane in lanes {
                    if let Some(out) = out.get_mut(lane) {
                        *out = bits;
                    }
                }
            }
            self.give(to.at(word), out);
        }
    }

    pub(super) fn elect(&mut self, to: Reg, at: PlaceId) {
        self.together(at);
        let mut out = self.take(to);
        for lanes in self.subgroups() {
            let first = lanes.clone().find(|lane| self.is_active(*lane));
            for lane in lanes {
                if let Some(out) = out.get_mut(lane) {
                    *out = u32::from(Some(lane) == first);
                }
            }
        }
        self.give(to, out);
    }
}

fn neutral(op: Reduce) -> u32 {
    match op {
        Reduce::Add | Reduce::AddF | Reduce::AddH | Reduce::Or | Reduce::Xor | Reduce::MaxU => 0,
        Reduce::Mul => 1,
        Reduce::MulF | Reduce::MulH => 1.0_f32.to_bits(),
        Reduce::MinU | Reduce::And => u32::MAX,
        Reduce::MinI => i32::MAX as u32,
        Reduce::MaxI => i32::MIN as u32,
        Reduce::MinF => f32::INFINITY.to_bits(),
        Reduce::MaxF => f32::NEG_INFINITY.to_bits(),
    }
}

fn combine(op: Reduce, a: u32, b: u32) -> u32 {
    let float = |f: fn(f32, f32) -> f32| f(f32::from_bits(a), f32::from_bits(b)).to_bits();
    match op {
        Reduce::Add => a.wrapping_add(b),
        Reduce::Mul => a.wrapping_mul(b),
        Reduce::AddF => float(|a, b| a + b),
        Reduce::AddH => float(|a, b| to_f16(a + b)),
        Reduce::MulF => float(|a, b| a * b),
        Reduce::MulH => float(|a, b| to_f16(a * b)),
        Reduce::MinF => float(f32::min),
        Reduce::MaxF => float(f32::max),
        Reduce::MinU => a.min(b),
        Reduce::MaxU => a.max(b),
        Reduce::MinI => (a as i32).min(b as i32) as u32,
        Reduce::MaxI => (a as i32).max(b as i32) as u32,
        Reduce::And => a & b,
        Reduce::Or => a | b,
        Reduce::Xor => a ^ b,
    }
}
