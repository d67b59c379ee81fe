//! Integers of 64 bits, each in two registers.

use super::Machine;
use crate::finding::Check;
use crate::program::code::{Binary, Convert, Unary};
use crate::program::{PlaceId, Regs};

/// The largest floats below 2⁶⁴ and 2⁶³.
const MAX_U64: f32 = 18_446_742_974_197_923_840.0;
const MAX_I64: f32 = 9_223_371_487_098_961_920.0;

impl Machine<'_> {
    /// The value of a lane; a single register is its low word.
    fn long(&self, regs: Regs, lane: usize) -> u64 {
        let low = u64::from(self.word(regs.first, lane));
        if regs.count < 2 {
            return low;
        }
        u64::from(self.word(regs.at(1), lane)) << 32 | low
    }

    fn set_long(&mut self, regs: Regs, lane: usize, value: u64) {
        self.set(regs.first, lane, value as u32);
        if regs.count > 1 {
            self.set(regs.at(1), lane, (value >> 32) as u32);
        }
    }

    /// Reports the lanes for which `bad` holds.
    fn wide_check(
        &mut self,
        check: Check,
        at: PlaceId,
        bad: impl Fn(&Self, usize) -> bool,
        message: impl Fn(&Self, usize) -> String,
    ) {
        if self.looks_for(check) {
            self.arithmetic(check, at, bad, message);
        }
    }

    pub(super) fn wide_unary(&mut self, op: Unary, to: Regs, a: Regs, at: PlaceId) {
        if op == Unary::NegI {
            self.wide_check(
                Check::Wrap,
                at,
                |machine, lane| machine.long(a, lane) == 1 << 63,
                |_, _| format!("`-({0})` does not fit `i64`: it wraps to {0}", i64::MIN),
            );
        }
        for lane in 0..self.active.len() {
            let value = self.long(a, lane);
            let result = match op {
                Unary::NegI => value.wrapping_neg(),
                Unary::AbsI => (value as i64).wrapping_abs() as u64,
                _ => !value,
            };
            self.set_long(to, lane, result);
        }
    }

    pub(super) fn wide(&mut self, op: Binary, to: Regs, [a, b]: [Regs; 2], at: PlaceId) {
        if let Some((check, text, signed)) = rule(op) {
            self.wide_check(
                check,
                at,
                |machine, lane| bad(op, machine.long(a, lane), machine.long(b, lane)),
                |machine, lane| {
                    let (x, y) = (machine.long(a, lane), machine.long(b, lane));
                    let show = |value: u64| {
                        if signed {
                            (value as i64).to_string()
                        } else {
                            value.to_string()
                        }
                    };
                    let by = if op.is_shift() {
                        y.to_string()
                    } else {
                        show(y)
                    };
                    let shown = format!("{} {text} {by}", show(x));
                    let result = show(apply(op, x, y));
                    let name = if signed { "i64" } else { "u64" };
                    match check {
                        Check::Shift => {
                            format!("`{shown}` shifts by 64 bits or more: a GPU gives {result}")
                        }
                        Check::Division if y == 0 => {
                            format!("`{shown}` divides by zero: a GPU gives {result}")
                        }
                        Check::Division => {
                            format!("`{shown}` does not fit `i64`: a GPU gives {result}")
                        }
                        _ => format!("`{shown}` does not fit `{name}`: it wraps to {result}"),
                    }
                },
            );
        }
        for lane in 0..self.active.len() {
            let result = apply(op, self.long(a, lane), self.long(b, lane));
            self.set_long(to, lane, result);
        }
    }

    pub(super) fn convert(&mut self, op: Convert, to: Regs, a: Regs, at: PlaceId) {
        let range = match op {
            Convert::F32ToU64 => Some((-1.0_f32, 18_446_744_073_709_551_616.0_f32, "u64")),
            Convert::F32ToI64 => Some((
                -9_223_373_136_366_403_584.0,
                9_223_372_036_854_775_808.0,
                "i64",
            )),
            _ => None,
        };
        if let Some((low, high, name)) = range {
            let float = |machine: &Self, lane| f32::from_bits(machine.word(a.first, lane));
            self.wide_check(
                Check::Cast,
                at,
                |machine, lane| {
                    let x = float(machine, lane);
                    !(x > low && x < high)
                },
                |machine, lane| {
                    let x = super::number::float(float(machine, lane));
                    format!("`{x} as {name}` is out of range: a GPU gives another number")
                },
            );
        }
        for lane in 0..self.active.len() {
            let value = self.long(a, lane);
            let float = f32::from_bits(value as u32);
            let result = match op {
                Convert::FromU32 => value & 0xffff_ffff,
                Convert::FromI32 => value as u32 as i32 as i64 as u64,
                Convert::F32ToU64 => float.min(MAX_U64) as u64,
                Convert::F32ToI64 => float.min(MAX_I64) as i64 as u64,
                Convert::U64ToF32 => (value as f32).to_bits().into(),
                Convert::I64ToF32 => (value as i64 as f32).to_bits().into(),
            };
            self.set_long(to, lane, result);
        }
    }
}

/// What may go wrong, the operator, and whether it is one of signed numbers.
fn rule(op: Binary) -> Option<(Check, &'static str, bool)> {
    Some(match op {
        Binary::AddU => (Check::Wrap, "+", false),
        Binary::SubU => (Check::Wrap, "-", false),
        Binary::MulU => (Check::Wrap, "*", false),
        Binary::AddI => (Check::Wrap, "+", true),
        Binary::SubI => (Check::Wrap, "-", true),
        Binary::MulI => (Check::Wrap, "*", true),
        Binary::DivU => (Check::Division, "/", false),
        Binary::RemU => (Check::Division, "%", false),
        Binary::DivI => (Check::Division, "/", true),
        Binary::RemI => (Check::Division, "%", true),
        Binary::Shl => (Check::Shift, "<<", false),
        Binary::ShrU => (Check::Shift, ">>", false),
        Binary::ShrI => (Check::Shift, ">>", true),
        _ => return None,
    })
}

fn bad(op: Binary, a: u64, b: u64) -> bool {
    let (x, y) = (a as i64, b as i64);
    match op {
        Binary::AddU => a.checked_add(b).is_none(),
        Binary::SubU => a < b,
        Binary::MulU => a.checked_mul(b).is_none(),
        Binary::AddI => x.checked_add(y).is_none(),
        Binary::SubI => x.checked_sub(y).is_none(),
        Binary::MulI => x.checked_mul(y).is_none(),
        Binary::DivU | Binary::RemU => b == 0,
        Binary::DivI | Binary::RemI => x.checked_div(y).is_none(),
        Binary::Shl | Binary::ShrU | Binary::ShrI => b > 63,
        _ => false,
    }
}

fn apply(op: Binary, a: u64, b: u64) -> u64 {
    let (x, y) = (a as i64, b as i64);
    match op {
        Binary::AddU | Binary::AddI | Binary::AddWrap => a.wrapping_add(b),
        Binary::SubU | Binary::SubI | Binary::SubWrap => a.wrapping_sub(b),
        Binary::MulU | Binary::MulI | Binary::MulWrap => a.wrapping_mul(b),
        Binary::DivU => a.checked_div(b).unwrap_or(a),
        Binary::DivI => x.checked_div(y).unwrap_or(x) as u64,
        Binary::RemU => a.checked_rem(b).unwrap_or(0),
        Binary::RemI => x.checked_rem(y).unwrap_or(0) as u64,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => a.wrapping_shl(b as u32),
        Binary::ShrU => a.wrapping_shr(b as u32),
        Binary::ShrI => x.wrapping_shr(b as u32) as u64,
        Binary::Eq => u64::from(a == b),
        Binary::Ne => u64::from(a != b),
        Binary::LtU => u64::from(a < b),
        Binary::LeU => u64::from(a <= b),
        Binary::LtI => u64::from(x < y),
        Binary::LeI => u64::from(x <= y),
        Binary::MinU => a.min(b),
        Binary::MaxU => a.max(b),
        Binary::MinI => x.min(y) as u64,
        Binary::MaxI => x.max(y) as u64,
        // Floats and packed bytes have 32 bits.
        _ => 0,
    }
}
