//! How far the results of another device may lie from the twin's: a bound that is carried along with
//! every value (a running error analysis, after Wilkinson), by the accuracies that WGSL asks for.
//!
//! The bound of a register is an absolute distance. It is 0 for what all devices agree on, and
//! infinite for what has none: an integer that was made from a float on the edge of two.

pub(super) mod rule;

use std::collections::HashMap;

use super::{Machine, NOWHERE};
use crate::program::code::{Move, Reduce, Scan, Unary, Update};
use crate::program::{Op, PlaceId, Program, Reg, Regs, Step};
use crate::report::Undecided;

/// The bounds of all values.
#[derive(Debug)]
pub(super) struct Errors {
    registers: Vec<Box<[f64]>>,
    memories: Vec<Vec<f64>>,
    /// Comparisons that another device may decide otherwise.
    pub undecided: HashMap<PlaceId, Undecided>,
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
            undecided: HashMap::new(),
        }
    }

    /// How far a register may be off.
    pub(super) fn get(&self, reg: Reg, lane: usize) -> f64 {
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

    /// What an address adds: no bound where it was made from a float on the edge of two integers.
    pub(super) fn of_address(&self, address: Option<Reg>, lane: usize) -> f64 {
        address.map_or(0.0, |address| rule::exact(&[self.get(address, lane)]))
    }

    pub(super) fn cell(&mut self, slot: usize, address: u32) -> Option<&mut f64> {
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
                self.carry_lane(&mut errors, step, lane);
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

    /// Takes note of a comparison that another device may decide otherwise.
    fn undecided_at(
        &self,
        errors: &mut Errors,
        at: PlaceId,
        lane: usize,
        (operands, distance): ([f64; 2], f64),
    ) {
        let first = || Undecided {
            at: self.run.source(at),
            who: self.who(lane),
            operands,
            distance,
            count: 0,
        };
        errors.undecided.entry(at).or_insert_with(first).count += 1;
    }

    fn carry_lane(&self, errors: &mut Errors, Step { at, op }: &Step, lane: usize) {
        let float = |reg: Reg| self.float(reg, lane);
        match op {
            Op::Copy { to, from } => {
                for index in 0..to.count {
                    let error = errors.get(from.at(index), lane);
                    errors.set(to.at(index), lane, error);
                }
            }
            Op::Unary { op, to, a } => {
                let ea = errors.get(*a, lane);
                let is_close = match op {
                    Unary::F32ToBool => ea > 0.0 && float(*a).abs() <= ea,
                    Unary::IntToBool => ea > 0.0,
                    _ => false,
                };
                if is_close {
                    let value = if *op == Unary::F32ToBool {
                        float(*a)
                    } else {
                        f64::from(self.word(*a, lane))
                    };
                    self.undecided_at(errors, *at, lane, ([value, 0.0], ea));
                }
                let error = rule::unary(*op, float(*a), ea, float(*to));
                errors.set(*to, lane, error);
            }
            Op::Binary { op, to, a, b } => {
                let (ea, eb) = (errors.get(*a, lane), errors.get(*b, lane));
                if rule::is_undecided(*op, (float(*a), ea), (float(*b), eb)) {
                    let operands = if rule::compares_floats(*op) {
                        [float(*a), float(*b)]
                    } else {
                        [*a, *b].map(|reg| f64::from(self.word(reg, lane)))
                    };
                    self.undecided_at(errors, *at, lane, (operands, ea + eb));
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
                    let error = error.unwrap_or(0.0) + errors.of_address(*address, lane);
                    errors.set(to.at(index), lane, error);
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
                    let error =
                        errors.get(from.at(index), lane) + errors.of_address(*address, lane);
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
                    let error = error + errors.of_address(Some(*address), lane);
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
            Op::Wide { op, to, a, b } => {
                let mut known = [*a, *b].map(|regs| errors.get(regs.first, lane));
                let distance = rule::exact(&known);
                if op.is_comparison() && distance > 0.0 {
                    let low = [*a, *b].map(|regs| f64::from(self.word(regs.first, lane)));
                    self.undecided_at(errors, *at, lane, (low, distance));
                    known = [0.0; 2];
                }
                Self::carry_exact(errors, *to, &known, lane);
            }
            Op::WideUnary { to, a, .. } | Op::Convert { to, a, .. } => {
                let known = [errors.get(a.first, lane)];
                Self::carry_exact(errors, *to, &known, lane);
            }
            Op::Index { to, add, index, .. } => {
                let add = errors.of_address(*add, lane);
                let error = rule::exact(&[add, errors.get(*index, lane)]);
                errors.set(*to, lane, error);
            }
            Op::Packed { to, address, .. } => {
                let error = errors.of_address(Some(*address), lane);
                errors.set(*to, lane, error);
            }
            Op::Atomic {
                op,
                to,
                memory,
                address,
                offset,
                a,
                b,
            } => {
                let at = errors.of_address(*address, lane);
                let known = [*a, *b].map(|reg| errors.get(reg, lane));
                let place = self.place((*address, *offset), 0, lane);
                let slot = self.run.slot(*memory);
                let mut before = at;
                if let Some(cell) = place.and_then(|place| errors.cell(slot, place)) {
                    before += *cell;
                    let new = rule::exact(&[at, known[0], known[1]]);
                    match op {
                        Update::Load => {}
                        Update::Store => *cell = new,
                        _ => *cell += new,
                    }
                }
                errors.set(*to, lane, before);
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
