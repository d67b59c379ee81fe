//! How far the results of another device may lie from the twin's: a bound that is carried along with
//! every value (a running error analysis, after Wilkinson), by the accuracies that WGSL asks for.
//!
//! The bound of a register is an absolute distance. It is 0 for what all devices agree on, and
//! infinite for what has none: an integer that was made from a float on the edge of two.

mod rule;

use super::{Machine, NOWHERE};
use crate::program::code::{Move, Reduce, Scan};
use crate::program::{Op, Program, Reg, Regs, Step};

/// The bounds of all values.
#[derive(Debug)]
pub(super) struct Errors {
    registers: Vec<Box<[f64]>>,
    memories: Vec<Vec<f64>>,
    /// Comparisons that another device may decide otherwise.
    pub undecided: u64,
}

impl Errors {
    pub fn new(program: &Program, bytes: &[u32]) -> Self {
        let lanes = program.lanes() as usize;
        let registers = 0..program.registers;
        Self {
            registers: registers
                .map(|_| vec![0.0; lanes].into_boxed_slice())
                .collect(),
            // A cell for each half, so that halves have their own.
            memories: bytes
                .iter()
                .map(|bytes| vec![0.0; bytes.div_ceil(2) as usize])
                .collect(),
            undecided: 0,
        }
    }

    fn get(&self, reg: Reg, lane: usize) -> f64 {
        let words = self.registers.get(reg.0 as usize);
        words
            .and_then(|words| words.get(lane))
            .copied()
            .unwrap_or(0.0)
    }

    fn set(&mut self, reg: Reg, lane: usize, error: f64) {
        let words = self.registers.get_mut(reg.0 as usize);
        if let Some(slot) = words.and_then(|words| words.get_mut(lane)) {
            *slot = error;
        }
    }

    fn cell(&mut self, slot: usize, address: u32) -> Option<&mut f64> {
        self.memories.get_mut(slot)?.get_mut(address as usize / 2)
    }

    /// Memory of a workgroup begins anew.
    pub fn clear(&mut self, from: usize) {
        for memory in self.memories.iter_mut().skip(from) {
            memory.fill(0.0);
        }
    }

    /// The bounds of each word of a memory, or of each half.
    pub fn of(&self, slot: usize, step: usize) -> Vec<f64> {
        let memory = self.memories.get(slot).map_or(&[][..], |memory| memory);
        memory.iter().step_by(step).copied().collect()
    }
}

impl Machine<'_> {
    /// Carries the bounds along what `step` has just done.
    pub(super) fn carry(&mut self, step: &Step) {
        let Some(mut errors) = self.errors.take() else {
            return;
        };
        for turn in 0..self.active.len() {
            let lane = self.run.order.get(turn).map_or(turn, |lane| *lane as usize);
            if self.is_active(lane) {
                self.carry_lane(&mut errors, &step.op, lane);
            }
        }
        match &step.op {
            Op::Reduce { op, scan, to, a } => self.carry_reduce(&mut errors, *op, *scan, *to, *a),
            Op::Move { op, to, a, by } => self.carry_move(&mut errors, *op, *to, *a, *by),
            _ => {}
        }
        self.errors = Some(errors);
    }

    fn float(&self, reg: Reg, lane: usize) -> f64 {
        f64::from(f32::from_bits(self.word(reg, lane)))
    }

    fn carry_lane(&self, errors: &mut Errors, op: &Op, lane: usize) {
        let float = |reg: Reg| self.float(reg, lane);
        match op {
            Op::Copy { to, from } => {
                for index in 0..to.count {
                    let error = errors.get(from.at(index), lane);
                    errors.set(to.at(index), lane, error);
                }
            }
            Op::Unary { op, to, a } => {
                let error = rule::unary(*op, float(*a), errors.get(*a, lane), float(*to));
                errors.set(*to, lane, error);
            }
            Op::Binary { op, to, a, b } => {
                let (ea, eb) = (errors.get(*a, lane), errors.get(*b, lane));
                if rule::is_undecided(*op, (float(*a), ea), (float(*b), eb)) {
                    errors.undecided += 1;
                }
                let error = rule::binary(*op, (float(*a), ea), (float(*b), eb), float(*to));
                errors.set(*to, lane, error);
            }
            Op::Ternary { op, to, a, b, c } => {
                use crate::program::Ternary;
                let [ea, eb, ec] = [a, b, c].map(|reg| errors.get(*reg, lane));
                let error = match op {
                    Ternary::Select if self.word(*c, lane) != 0 => ea,
                    Ternary::Select => eb,
                    Ternary::Fma => {
                        let (x, y) = (float(*a), float(*b));
                        rule::product((x, ea), (y, eb))
                            + ec
                            + 2.0 * rule::ulp(x * y)
                            + 2.0 * rule::ulp(float(*to))
                    }
                    Ternary::ExtractBits => rule::exact(&[ea, eb, ec]),
                };
                errors.set(*to, lane, error);
            }
            Op::Load {
                to,
                memory,
                address,
                offset,
            }
            | Op::LoadHalf {
                to,
                memory,
                address,
                offset,
            } => {
                let bytes = if matches!(op, Op::Load { .. }) { 4 } else { 2 };
                for index in 0..to.count {
                    let place = self.place((*address, *offset), index * bytes, lane);
                    let slot = self.run.slot(*memory);
                    let error = place.and_then(|place| errors.cell(slot, place).copied());
                    errors.set(to.at(index), lane, error.unwrap_or(0.0));
                }
            }
            Op::Store {
                from,
                memory,
                address,
                offset,
            }
            | Op::StoreHalf {
                from,
                memory,
                address,
                offset,
            } => {
                let bytes = if matches!(op, Op::Store { .. }) { 4 } else { 2 };
                for index in 0..from.count {
                    let error = errors.get(from.at(index), lane);
                    let place = self.place((*address, *offset), index * bytes, lane);
                    let slot = self.run.slot(*memory);
                    if let Some(cell) = place.and_then(|place| errors.cell(slot, place)) {
                        *cell = error;
                    }
                }
            }
            Op::Pick {
                to,
                from,
                address,
                offset,
            } => {
                for index in 0..to.count {
                    let at = self.word(*address, lane).wrapping_add(offset + index);
                    let error = if at < from.count {
                        errors.get(from.at(at), lane)
                    } else {
                        0.0
                    };
                    errors.set(to.at(index), lane, error);
                }
            }
            Op::Put {
                from,
                to,
                address,
                offset,
            } => {
                for index in 0..from.count {
                    let at = self.word(*address, lane).wrapping_add(offset + index);
                    if at < to.count {
                        let error = errors.get(from.at(index), lane);
                        errors.set(to.at(at), lane, error);
                    }
                }
            }
            Op::Unpack { op, to, a } => {
                let known = rule::exact(&[errors.get(*a, lane)]);
                for index in 0..to.count {
                    let error = known + rule::unpack(*op, float(to.at(index)));
                    errors.set(to.at(index), lane, error);
                }
            }
            Op::Pack { to, a, .. } => {
                let all: Vec<f64> = (0..a.count)
                    .map(|index| errors.get(a.at(index), lane))
                    .collect();
                errors.set(*to, lane, rule::exact(&all));
            }
            Op::Wide { to, a, b, .. } => {
                let known = [*a, *b].map(|regs| errors.get(regs.first, lane));
                Self::carry_exact(errors, *to, &known, lane);
            }
            Op::WideUnary { to, a, .. } | Op::Convert { to, a, .. } => {
                let known = [errors.get(a.first, lane)];
                Self::carry_exact(errors, *to, &known, lane);
            }
            Op::Index { to, .. } | Op::Packed { to, .. } | Op::Atomic { to, .. } => {
                errors.set(*to, lane, 0.0);
            }
            _ => {}
        }
    }

    fn carry_exact(errors: &mut Errors, to: Regs, known: &[f64], lane: usize) {
        for index in 0..to.count {
            errors.set(to.at(index), lane, rule::exact(known));
        }
    }

    fn place(&self, (address, offset): (Option<Reg>, u32), add: u32, lane: usize) -> Option<u32> {
        let base = address.map_or(0, |address| self.word(address, lane));
        base.checked_add(offset)?
            .checked_add(add)
            .filter(|_| base != NOWHERE)
    }

    /// A reduction adds in any order: as many roundings as there are invocations, of at most the sum
    /// of the magnitudes.
    fn carry_reduce(&self, errors: &mut Errors, op: Reduce, scan: Scan, to: Reg, a: Reg) {
        let size = self.run.subgroup_size.max(1) as usize;
        for first in (0..self.active.len()).step_by(size) {
            let lanes = first..(first + size).min(self.active.len());
            let mut sum = rule::Sum::new(op);
            for lane in lanes.clone().filter(|lane| self.is_active(*lane)) {
                let before = sum.error();
                sum.add(self.float(a, lane), errors.get(a, lane));
                let error = if scan == Scan::Exclusive {
                    before
                } else {
                    sum.error()
                };
                errors.set(to, lane, error);
            }
            if scan == Scan::All {
                for lane in lanes {
                    errors.set(to, lane, sum.error());
                }
            }
        }
    }

    fn carry_move(&self, errors: &mut Errors, op: Move, to: Reg, a: Reg, by: Reg) {
        let size = self.run.subgroup_size.max(1) as usize;
        for lane in 0..self.active.len() {
            let base = lane / size * size;
            let by = self.word(by, lane) as usize;
            let me = lane - base;
            let first = || (base..base + size).find(|lane| self.is_active(*lane));
            let from = match op {
                Move::First => first(),
                Move::Broadcast | Move::Shuffle => base.checked_add(by),
                Move::Xor => base.checked_add(me ^ by),
                Move::Up => me.checked_sub(by).map(|from| base + from),
                Move::Down => lane.checked_add(by),
            };
            let error = from.map_or(0.0, |from| errors.get(a, from));
            errors.set(to, lane, error);
        }
    }
}
