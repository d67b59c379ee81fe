//! Arithmetic, a register at a time. Integers are exact; floats are rounded to f32 after each
//! operation.

use super::Machine;
use super::lanes::{compare, float1, float2, map1, map2, map3};
use crate::float;
use crate::program::code::{Binary, Ternary, Unary};
use crate::program::{PlaceId, Reg};

impl Machine<'_> {
    pub(super) fn unary(&mut self, op: Unary, to: Reg, a: Reg, at: PlaceId) {
        let mut out = self.take(to);
        apply_unary(op, &mut out, self.reg(a));
        self.check_unary(op, &out, a, at);
        self.give(to, out);
    }

    pub(super) fn binary(&mut self, op: Binary, to: Reg, [a, b]: [Reg; 2], at: PlaceId) {
        let mut out = self.take(to);
        apply_binary(op, &mut out, self.reg(a), self.reg(b));
        self.check_binary(op, &out, [a, b], at);
        self.give(to, out);
    }

    pub(super) fn ternary(&mut self, op: Ternary, to: Reg, [a, b, c]: [Reg; 3], at: PlaceId) {
        let mut out = self.take(to);
        let operands = [self.reg(a), self.reg(b), self.reg(c)];
        match op {
            Ternary::Select => map3(&mut out, operands, |a, b, c| if c == 0 { b } else { a }),
            Ternary::Fma => {
                map3(&mut out, operands, |a, b, c| {
                    let [a, b, c] = [a, b, c].map(f32::from_bits);
                    a.mul_add(b, c).to_bits()
                });
                self.check_fma(&out, [a, b, c], at);
            }
            Ternary::ExtractBits => map3(&mut out, operands, extract_bits),
        }
        self.give(to, out);
    }

    pub(super) fn insert_bits(&mut self, to: Reg, [a, b, offset, count]: [Reg; 4]) {
        let mut out = self.take(to);
        let words = self.reg(a).iter().zip(self.reg(b));
        let ranges = self.reg(offset).iter().zip(self.reg(count));
        for (out, ((a, b), (offset, count))) in out.iter_mut().zip(words.zip(ranges)) {
            let (offset, mask) = field(*offset, *count);
            let mask = mask.checked_shl(offset).unwrap_or(0);
            *out = a & !mask | b.checked_shl(offset).unwrap_or(0) & mask;
        }
        self.give(to, out);
    }
}

/// A bit field within the word: where it begins, and its mask at bit 0.
fn field(offset: u32, count: u32) -> (u32, u32) {
    let offset = offset.min(32);
    let count = count.min(32 - offset);
    (offset, u32::MAX.checked_shr(32 - count).unwrap_or(0))
}

fn extract_bits(word: u32, offset: u32, count: u32) -> u32 {
    let (offset, mask) = field(offset, count);
    word.checked_shr(offset).unwrap_or(0) & mask
}

/// The largest `u32` that is a float too.
const MAX_U32: f32 = 4_294_967_040.0;
/// The largest `i32` that is a float too.
const MAX_I32: f32 = 2_147_483_520.0;

fn apply_unary(op: Unary, to: &mut [u32], a: &[u32]) {
    match op {
        Unary::NegI => map1(to, a, u32::wrapping_neg),
        Unary::NegF => map1(to, a, |a| a ^ 0x8000_0000),
        Unary::NotB => map1(to, a, |a| a ^ 1),
        Unary::Not => map1(to, a, |a| !a),
        Unary::AbsI => map1(to, a, |a| (a as i32).wrapping_abs() as u32),
        Unary::AbsF => map1(to, a, |a| a & 0x7fff_ffff),
        Unary::Sqrt => float1(to, a, f32::sqrt),
        Unary::InverseSqrt => float1(to, a, |a| 1.0 / a.sqrt()),
        Unary::Exp => float1(to, a, f32::exp),
        Unary::Exp2 => float1(to, a, f32::exp2),
        Unary::Ln => float1(to, a, f32::ln),
        Unary::Log2 => float1(to, a, f32::log2),
        Unary::Sin => float1(to, a, f32::sin),
        Unary::Cos => float1(to, a, f32::cos),
        Unary::Tan => float1(to, a, f32::tan),
        Unary::Asin => float1(to, a, f32::asin),
        Unary::Acos => float1(to, a, f32::acos),
        Unary::Atan => float1(to, a, f32::atan),
        Unary::Sinh => float1(to, a, f32::sinh),
        Unary::Cosh => float1(to, a, f32::cosh),
        Unary::Tanh => float1(to, a, f32::tanh),
        Unary::Asinh => float1(to, a, f32::asinh),
        Unary::Acosh => float1(to, a, f32::acosh),
        Unary::Atanh => float1(to, a, f32::atanh),
        Unary::RoundAway => float1(to, a, f32::round),
        Unary::SignI => map1(to, a, |a| (a as i32).signum() as u32),
        Unary::LeadingU => map1(to, a, |a| 31_u32.wrapping_sub(a.leading_zeros())),
        Unary::LeadingI => map1(to, a, |a| {
            let magnitude = if (a as i32) < 0 { !a } else { a };
            31_u32.wrapping_sub(magnitude.leading_zeros())
        }),
        Unary::TrailingBit => map1(
            to,
            a,
            |a| if a == 0 { u32::MAX } else { a.trailing_zeros() },
        ),
        Unary::Floor => float1(to, a, f32::floor),
        Unary::Ceil => float1(to, a, f32::ceil),
        Unary::Trunc => float1(to, a, f32::trunc),
        Unary::Round => float1(to, a, f32::round_ties_even),
        Unary::QuantizeToF16 | Unary::RoundToF16 => {
            float1(to, a, to_f16);
        }
        Unary::FrexpFract => float1(to, a, |a| float::frexp(a).0),
        Unary::FrexpExp => map1(to, a, |a| float::frexp(f32::from_bits(a)).1 as u32),
        Unary::CountOnes => map1(to, a, u32::count_ones),
        Unary::LeadingZeros => map1(to, a, u32::leading_zeros),
        Unary::TrailingZeros => map1(to, a, u32::trailing_zeros),
        Unary::ReverseBits => map1(to, a, u32::reverse_bits),
        Unary::I32ToF32 => map1(to, a, |a| (a as i32 as f32).to_bits()),
        Unary::U32ToF32 | Unary::BoolToF32 => map1(to, a, |a| (a as f32).to_bits()),
        Unary::F32ToI32 => map1(to, a, |a| f32::from_bits(a).min(MAX_I32) as i32 as u32),
        Unary::F32ToU32 => map1(to, a, |a| f32::from_bits(a).min(MAX_U32) as u32),
        Unary::IntToBool => map1(to, a, |a| u32::from(a != 0)),
        Unary::F32ToBool => map1(to, a, |a| u32::from(f32::from_bits(a) != 0.0)),
    }
}

/// Whether `a / b` of `i32` has no answer.
pub(super) fn no_quotient(a: u32, b: u32) -> bool {
    b == 0 || a as i32 == i32::MIN && b as i32 == -1
}

fn apply_binary(op: Binary, to: &mut [u32], a: &[u32], b: &[u32]) {
    match op {
        Binary::AddU | Binary::AddI | Binary::AddWrap => map2(to, a, b, u32::wrapping_add),
        Binary::SubU | Binary::SubI | Binary::SubWrap => map2(to, a, b, u32::wrapping_sub),
        Binary::MulU | Binary::MulI | Binary::MulWrap => map2(to, a, b, u32::wrapping_mul),
        Binary::DivU => map2(to, a, b, |a, b| a.checked_div(b).unwrap_or(a)),
        Binary::DivI => map2(to, a, b, |a, b| {
            (a as i32).checked_div(b as i32).unwrap_or(a as i32) as u32
        }),
        Binary::RemU => map2(to, a, b, |a, b| a.checked_rem(b).unwrap_or(0)),
        Binary::RemI => map2(to, a, b, |a, b| {
            (a as i32).checked_rem(b as i32).unwrap_or(0) as u32
        }),
        Binary::AddF => float2(to, a, b, |a, b| a + b),
        Binary::SubF => float2(to, a, b, |a, b| a - b),
        Binary::MulF => float2(to, a, b, |a, b| a * b),
        Binary::DivF => float2(to, a, b, |a, b| a / b),
        Binary::RemF => float2(to, a, b, |a, b| a - b * (a / b).trunc()),
        Binary::And => map2(to, a, b, |a, b| a & b),
        Binary::Or => map2(to, a, b, |a, b| a | b),
        Binary::Xor => map2(to, a, b, |a, b| a ^ b),
        Binary::Shl => map2(to, a, b, u32::wrapping_shl),
        Binary::ShrU => map2(to, a, b, u32::wrapping_shr),
        Binary::ShrI => map2(to, a, b, |a, b| (a as i32).wrapping_shr(b) as u32),
        Binary::Eq => map2(to, a, b, |a, b| u32::from(a == b)),
        Binary::Ne => map2(to, a, b, |a, b| u32::from(a != b)),
        Binary::LtU => map2(to, a, b, |a, b| u32::from(a < b)),
        Binary::LeU => map2(to, a, b, |a, b| u32::from(a <= b)),
        Binary::LtI => map2(to, a, b, |a, b| u32::from((a as i32) < b as i32)),
        Binary::LeI => map2(to, a, b, |a, b| u32::from(a as i32 <= b as i32)),
        Binary::EqF => compare(to, a, b, |a, b| a == b),
        Binary::NeF => compare(to, a, b, |a, b| a != b),
        Binary::LtF => compare(to, a, b, |a, b| a < b),
        Binary::LeF => compare(to, a, b, |a, b| a <= b),
        Binary::MinU => map2(to, a, b, u32::min),
        Binary::MinI => map2(to, a, b, |a, b| (a as i32).min(b as i32) as u32),
        Binary::MinF => float2(to, a, b, f32::min),
        Binary::MaxU => map2(to, a, b, u32::max),
        Binary::MaxI => map2(to, a, b, |a, b| (a as i32).max(b as i32) as u32),
        Binary::MaxF => float2(to, a, b, f32::max),
        Binary::Pow => float2(to, a, b, f32::powf),
        Binary::Atan2 => float2(to, a, b, f32::atan2),
        Binary::Ldexp => map2(to, a, b, |a, b| {
            // In two steps, so that neither power leaves the range of f32.
            let half = (b as i32) / 2;
            let power = |e: i32| 2.0_f32.powi(e);
            (f32::from_bits(a) * power(half) * power(b as i32 - half)).to_bits()
        }),
        Binary::RotateLeft => map2(to, a, b, |a, b| a.rotate_left(b % 32)),
        Binary::RotateRight => map2(to, a, b, |a, b| a.rotate_right(b % 32)),
        Binary::DotU8 => map2(to, a, b, |a, b| {
            let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
            products.map(|(a, b)| u32::from(a) * u32::from(b)).sum()
        }),
        Binary::DotI8 => map2(to, a, b, |a, b| {
            let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
            let sum: i32 = products
                .map(|(a, b)| i32::from(a as i8) * i32::from(b as i8))
                .sum();
            sum as u32
        }),
    }
}

/// The nearest f16.
pub(super) fn to_f16(x: f32) -> f32 {
    half::f16::from_f32(x).to_f32()
}
