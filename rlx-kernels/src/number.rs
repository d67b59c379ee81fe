//! The methods of numbers, for what Rust gives none: `f16` and vectors.
//!
//! `f32`, `i32` and their kind have these methods of their own; the traits say that vectors have them
//! too, component by component. An `f16` computes in `f32` and rounds what comes out.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

use half::f16;

/// Numbers: scalars that vectors are made of.
pub trait Number: Copy + PartialOrd {
    /// The smaller.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// The larger.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// Held to `low` to `high`.
    #[must_use]
    fn clamp(self, low: Self, high: Self) -> Self {
        Number::min(Number::max(self, low), high)
    }
}

/// Numbers with a sign.
pub trait Signed: Number {
    /// Without its sign.
    #[must_use]
    fn abs(self) -> Self;
}

macro_rules! float {
    ($($(#[$doc:meta])* $method:ident($($arg:ident),*);)+) => {
        /// Floats: `f32` and `f16`, and `T` in `#[device] fn f<T: Float>(x: T)`.
        pub trait Float:
            Signed
            + Neg<Output = Self>
            + Add<Output = Self>
            + Sub<Output = Self>
            + Mul<Output = Self>
            + Div<Output = Self>
            + Rem<Output = Self>
            + AddAssign
            + SubAssign
            + MulAssign
            + DivAssign
        {
            /// The value nearest to `x`: how a generic function writes a constant, `T::from_f32(0.5)`.
            fn from_f32(x: f32) -> Self;
            /// The value as f32, exactly.
            fn to_f32(self) -> f32;
            $($(#[$doc])* #[must_use] fn $method(self $(, $arg: Self)*) -> Self;)+
            /// x to the power of `exponent`.
            #[must_use]
            fn powi(self, exponent: i32) -> Self;
            /// The number nearest to `x`.
            fn of(x: f32) -> Self;
        }

        impl Float for f32 {
            fn from_f32(x: f32) -> Self { x }
            fn to_f32(self) -> f32 { self }
            $(fn $method(self $(, $arg: Self)*) -> Self { f32::$method(self $(, $arg)*) })+
            fn powi(self, exponent: i32) -> Self { f32::powi(self, exponent) }
            fn of(x: f32) -> Self { x }
        }

        impl Float for f16 {
            fn from_f32(x: f32) -> Self { f16::from_f32(x) }
            fn to_f32(self) -> f32 { f16::to_f32(self) }
            $(fn $method(self $(, $arg: Self)*) -> Self {
                f16::from_f32(f32::$method(self.to_f32() $(, $arg.to_f32())*))
            })+
            fn powi(self, exponent: i32) -> Self { f16::from_f32(self.to_f32().powi(exponent)) }
            fn of(x: f32) -> Self { f16::from_f32(x) }
        }
    };
}

float! {
    /// √x
    sqrt();
    /// eˣ
    exp();
    /// 2ˣ
    exp2();
    /// The natural logarithm.
    ln();
    /// The logarithm to base 2.
    log2();
    /// x to the power of `exponent`.
    powf(exponent);
    /// Sine.
    sin();
    /// Cosine.
    cos();
    /// Tangent.
    tan();
    /// Arc sine.
    asin();
    /// Arc cosine.
    acos();
    /// Arc tangent.
    atan();
    /// Arc tangent of the point (`x`, self).
    atan2(x);
    /// Hyperbolic sine.
    sinh();
    /// Hyperbolic cosine.
    cosh();
    /// Hyperbolic tangent.
    tanh();
    /// The next integer below.
    floor();
    /// The next integer above.
    ceil();
    /// The integer towards zero.
    trunc();
    /// The nearest integer, of two the even one.
    round_ties_even();
    /// self · a + b
    mul_add(a, b);
    /// The inverse hyperbolic sine.
    asinh();
    /// The inverse hyperbolic cosine.
    acosh();
    /// The inverse hyperbolic tangent.
    atanh();
    /// Degrees in radians.
    to_radians();
    /// Radians in degrees.
    to_degrees();
    /// 1 / x
    recip();
    /// Without the integer part, with the sign.
    fract();
    /// The nearest integer, of two the one farther from zero.
    round();
}

macro_rules! number {
    ($($scalar:ident)+) => {
        $(impl Number for $scalar {
            fn min(self, other: Self) -> Self { if other < self { other } else { self } }
            fn max(self, other: Self) -> Self { if other > self { other } else { self } }
        })+
    };
}
number!(f32 f16 i32 u32 i64 u64);

macro_rules! signed {
    ($($scalar:ident $of:ident => $abs:expr;)+) => {
        $(impl Signed for $scalar {
            fn abs(self) -> Self { let $of = self; $abs }
        })+
    };
}
signed! {
    f32 x => f32::abs(x);
    f16 x => f16::from_bits(x.to_bits() & 0x7fff);
    i32 x => x.wrapping_abs();
    i64 x => x.wrapping_abs();
}
