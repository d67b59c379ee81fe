//! One rule an operation, by the tables of WGSL, "Accuracy of Concrete Floating Point Expressions".
//!
//! A rule adds three parts: what the operands' distances do to the exact result, what WGSL allows a
//! device, and the half unit by which the twin itself rounds.

use crate::program::code::{Binary, Reduce, Unary, Unpack};

/// The distance between f32 around `x`; that of the smallest normal one where devices flush.
pub(in crate::machine) fn ulp(x: f64) -> f64 {
    let magnitude = (x.abs() as f32).min(f32::MAX);
    if magnitude < f32::MIN_POSITIVE {
        return f64::from(f32::MIN_POSITIVE);
    }
    let above = f32::from_bits(magnitude.to_bits() + 1);
    (f64::from(above) - f64::from(magnitude)).min(2.0_f64.powi(104))
}

/// No distance where none of the operands has one, and no bound otherwise: of integers and bits.
pub(in crate::machine) fn exact(errors: &[f64]) -> f64 {
    if errors.iter().all(|error| *error == 0.0) {
        0.0
    } else {
        f64::INFINITY
    }
}

/// What the distances of two factors do to their product.
pub(in crate::machine) fn product((a, ea): (f64, f64), (b, eb): (f64, f64)) -> f64 {
    let term = |x: f64, e: f64| if e == 0.0 { 0.0 } else { x.abs() * e };
    term(a, eb) + term(b, ea) + term(ea, eb)
}

/// How far a function moves between `x - e` and `x + e`, seen from `x`: of one that is monotone there.
fn spread(f: impl Fn(f64) -> f64, x: f64, e: f64) -> f64 {
    if e == 0.0 {
        return 0.0;
    }
    let here = f(x);
    (f(x + e) - here).abs().max((f(x - e) - here).abs())
}

/// Whether another device may decide a comparison otherwise. Integers have no distance, or no bound.
pub(in crate::machine) fn is_undecided(
    op: Binary,
    (a, ea): (f64, f64),
    (b, eb): (f64, f64),
) -> bool {
    let known = ea + eb;
    op.is_comparison() && known > 0.0 && (!compares_floats(op) || (a - b).abs() <= known)
}

pub(in crate::machine) fn compares_floats(op: Binary) -> bool {
    matches!(op, Binary::EqF | Binary::NeF | Binary::LtF | Binary::LeF)
}

pub(in crate::machine) fn unary(op: Unary, x: f64, e: f64, result: f64) -> f64 {
    let unit = ulp(result);
    // The twin's own rounding is counted as a whole unit: libm is not always correctly rounded.
    let within = |units: f64| (units + 1.0) * unit;
    match op {
        Unary::NegF | Unary::AbsF => e,
        Unary::Sqrt => spread(|x| x.max(0.0).sqrt(), x, e) + within(4.0),
        Unary::InverseSqrt => spread(|x| 1.0 / x.max(f64::MIN_POSITIVE).sqrt(), x, e) + within(2.0),
        Unary::Exp => spread(f64::exp, x, e) + within(3.0 + 2.0 * x.abs()),
        Unary::Exp2 => spread(f64::exp2, x, e) + within(3.0 + 2.0 * x.abs()),
        Unary::Ln => spread(f64::ln, x, e) + within(3.0).max(2.0_f64.powi(-21)),
        Unary::Log2 => spread(f64::log2, x, e) + within(3.0).max(2.0_f64.powi(-21)),
        Unary::Sin | Unary::Cos => e + 2.0_f64.powi(-11) + unit,
        Unary::Tan => {
            let cos = x.cos().abs();
            let off = 2.0_f64.powi(-11);
            let margin = cos - off;
            if margin > 0.0 {
                (e + off) * (1.0 + result.abs()) / margin + within(3.0)
            } else {
                f64::INFINITY
            }
        }
        Unary::Asin => spread(|x| x.clamp(-1.0, 1.0).asin(), x, e) + within(4096.0).max(6.77e-5),
        Unary::Acos => spread(|x| x.clamp(-1.0, 1.0).acos(), x, e) + within(4096.0).max(6.77e-5),
        Unary::Atan => e + within(4096.0),
        Unary::Sinh => spread(f64::sinh, x, e) + hyperbolic(x),
        Unary::Cosh => spread(f64::cosh, x.abs(), e) + hyperbolic(x),
        Unary::Tanh => e + 1.0e-5_f64.max(within(8.0)),
        Unary::Floor => step(f64::floor, x, e),
        Unary::Ceil => step(f64::ceil, x, e),
        Unary::Trunc => step(f64::trunc, x, e),
        Unary::Asinh | Unary::Acosh | Unary::Atanh => {
            // By logarithms and roots: WGSL derives them, with no closed bound near the edges.
            let f = match op {
                Unary::Asinh => f64::asinh,
                Unary::Acosh => f64::acosh,
                _ => f64::atanh,
            };
            spread(f, x, e) + within(16.0) + 2.0_f64.powi(-19)
        }
        Unary::RoundAway => step(f64::round, x, e),
        Unary::Round => step(f64::round_ties_even, x, e),
        Unary::QuantizeToF16 | Unary::RoundToF16 => e + 2.0 * half_ulp(result),
        Unary::F32ToI32 | Unary::F32ToU32 => {
            if (x - e).trunc() == (x + e).trunc() {
                0.0
            } else {
                f64::INFINITY
            }
        }
        // No distance reaches another power of two, or there is no bound.
        Unary::FrexpFract | Unary::FrexpExp => {
            let power = |x: f64| crate::float::frexp(x as f32).1;
            if power(x - e) != power(x + e) {
                f64::INFINITY
            } else if op == Unary::FrexpExp {
                0.0
            } else {
                e * f64::from(-power(x)).exp2()
            }
        }
        Unary::F32ToBool | Unary::IntToBool => 0.0,
        Unary::I32ToF32 | Unary::U32ToF32 => {
            let is_exact = result.abs() <= 16_777_216.0;
            exact(&[e]) + if is_exact { 0.0 } else { 2.0 * unit }
        }
        _ => exact(&[e]),
    }
}

/// The distance between f16 around `x`.
fn half_ulp(x: f64) -> f64 {
    let exponent = x.abs().max(6.103_515_625e-5).log2().floor();
    (exponent - 10.0).exp2()
}

/// `(exp(x) - exp(-x)) / 2`
fn hyperbolic(x: f64) -> f64 {
    let exp = x.abs().exp();
    (6.0 + 2.0 * x.abs()) * ulp(exp)
}

/// A function of steps: no distance where both ends are on one.
fn step(f: impl Fn(f64) -> f64, x: f64, e: f64) -> f64 {
    spread(f, x, e)
}

pub(in crate::machine) fn binary(
    op: Binary,
    (a, ea): (f64, f64),
    (b, eb): (f64, f64),
    result: f64,
) -> f64 {
    let unit = ulp(result);
    match op {
        Binary::AddF | Binary::SubF => ea + eb + 2.0 * unit,
        Binary::MulF => product((a, ea), (b, eb)) + 2.0 * unit,
        Binary::DivF => quotient((a, ea), (b, eb), result) + 3.5 * unit,
        Binary::RemF => {
            let whole = (a / b).trunc();
            let moves = quotient((a, ea), (b, eb), a / b) + 3.5 * ulp(a / b);
            let distance = (a / b - whole).abs().min(1.0 - (a / b - whole).abs());
            let jump = if distance <= moves { b.abs() + eb } else { 0.0 };
            ea + whole.abs() * eb + 4.0 * ulp(a) + jump
        }
        Binary::Ldexp => exact(&[eb]) + ea * (result / a).abs().max(0.0) + unit,
        Binary::MinF | Binary::MaxF => ea.max(eb),
        Binary::Pow => {
            // exp2(b * log2(a))
            let log = a.log2();
            let off = spread(f64::log2, a, ea) + (4.0 * ulp(log)).max(2.0_f64.powi(-21));
            let t = b * log;
            let moved = product((b, eb), (log, off)) + 2.0 * ulp(t);
            spread(f64::exp2, t, moved) + (4.0 + 2.0 * t.abs()) * unit
        }
        Binary::Atan2 => {
            let length = (a * a + b * b).sqrt();
            let turned = if ea + eb == 0.0 {
                0.0
            } else {
                (ea + eb) / (length - ea - eb).max(f64::MIN_POSITIVE)
            };
            turned + 4097.0 * unit
        }
        // What another device may decide otherwise is told apart.
        _ if op.is_comparison() => 0.0,
        _ => exact(&[ea, eb]),
    }
}

fn quotient((_, ea): (f64, f64), (b, eb): (f64, f64), result: f64) -> f64 {
    if ea + eb == 0.0 {
        return 0.0;
    }
    let margin = b.abs() - eb;
    if margin > 0.0 {
        (ea + result.abs() * eb) / margin
    } else {
        f64::INFINITY
    }
}

/// What WGSL allows a conversion from packed data.
pub(in crate::machine) fn unpack(op: Unpack, result: f64) -> f64 {
    match op {
        Unpack::U8x4 | Unpack::I8x4 | Unpack::F16x2 => 0.0,
        _ => 4.0 * ulp(result),
    }
}

/// The bound of `c` and a sum of products in any order. A device rounds each product and each partial
/// sum as it likes, to halves where the sum is one.
pub(in crate::machine) fn sum_of_products(
    c: (f64, f64),
    factors: impl Iterator<Item = [(f64, f64); 2]>,
    half: bool,
) -> f64 {
    let (mut errors, mut magnitude, mut terms) = (c.1, c.0.abs(), 1.0);
    for [a, b] in factors {
        errors += product(a, b);
        magnitude += (a.0 * b.0).abs();
        terms += 1.0;
    }
    let unit = if half {
        half_ulp(magnitude)
    } else {
        ulp(magnitude)
    };
    // On either side each partial sum is rounded once, and each product on one.
    errors + 4.0 * terms * unit
}

/// The bound of an operation on two floats, or on two halves.
pub(in crate::machine) fn elementwise(
    op: Binary,
    a: (f64, f64),
    b: (f64, f64),
    (result, half): (f64, bool),
) -> f64 {
    let error = binary(op, a, b, result);
    if half {
        unary(Unary::RoundToF16, result, error, result)
    } else {
        error
    }
}

/// The bound of a reduction, term by term.
pub(in crate::machine) struct Sum {
    op: Reduce,
    terms: f64,
    magnitude: f64,
    errors: f64,
}

impl Sum {
    pub fn new(op: Reduce) -> Self {
        Self {
            op,
            terms: 0.0,
            magnitude: f64::from(u8::from(matches!(op, Reduce::MulF | Reduce::MulH))),
            errors: 0.0,
        }
    }

    pub fn add(&mut self, x: f64, e: f64) {
        match self.op {
            Reduce::MulF | Reduce::MulH => {
                self.errors = product((self.magnitude, self.errors), (x, e));
                self.magnitude *= x.abs();
            }
            Reduce::AddF | Reduce::AddH => {
                self.errors += e;
                self.magnitude += x.abs();
            }
            Reduce::MinF | Reduce::MaxF => {
                self.errors = self.errors.max(e);
                return;
            }
            _ => {
                self.errors += exact(&[e]);
                return;
            }
        }
        self.terms += 1.0;
    }

    pub fn error(&self) -> f64 {
        let unit = match self.op {
            Reduce::AddH | Reduce::MulH => half_ulp(self.magnitude),
            _ => ulp(self.magnitude),
        };
        // On either side each partial result is rounded once.
        self.errors + 3.0 * self.terms * unit
    }
}

#[cfg(test)]
mod tests {
    use super::{Sum, binary, unary};
    use crate::program::code::{Binary, Reduce, Unary};

    #[test]
    fn a_sum_of_known_numbers_is_off_by_two_units_at_most() {
        let unit = 2.0_f64.powi(-23);
        assert_eq!(
            binary(Binary::AddF, (0.5, 0.0), (0.75, 0.0), 1.25),
            2.0 * unit
        );
    }

    #[test]
    fn a_quotient_by_what_may_be_zero_has_no_bound() {
        let error = binary(Binary::DivF, (1.0, 0.0), (1e-6, 1e-5), 1e6);
        assert!(error.is_infinite());
    }

    #[test]
    fn a_reduction_of_f16_is_off_by_units_of_f16() {
        let bound = |op| {
            let mut sum = Sum::new(op);
            (0..8).for_each(|_| sum.add(1.5, 0.0));
            sum.error()
        };
        assert_eq!(bound(Reduce::AddF), 24.0 * 2.0_f64.powi(-20));
        assert_eq!(bound(Reduce::AddH), 24.0 * 2.0_f64.powi(-7));
        assert!(bound(Reduce::MulH) > 4096.0 * bound(Reduce::MulF));
    }

    #[test]
    fn a_floor_on_the_edge_of_two_moves_by_one() {
        assert_eq!(unary(Unary::Floor, 3.0, 1e-6, 3.0), 1.0);
        assert_eq!(unary(Unary::Floor, 3.5, 1e-6, 3.0), 0.0);
    }
}
