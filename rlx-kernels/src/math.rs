//! WGSL builtins that are plain functions of their arguments, for rustc's side of a `#[device]`
//! function. Each gives the bits that WGSL asks for.

use std::ops::{Add, Div, Mul, Sub};

use half::f16;
use rlx_kernel_twin::float;

use crate::number::Float;
use crate::vector::{Dot, Vec2, Vec3, Vec4, vec2, vec3, vec4};

/// The two halves of `bits` as f32, the low half first.
pub fn unpack2x16float(bits: u32) -> Vec2<f32> {
    vec2(
        f16::from_bits(bits as u16).to_f32(),
        f16::from_bits((bits >> 16) as u16).to_f32(),
    )
}

/// The four bytes of `bits`, the lowest first.
pub fn unpack4x_u8(bits: u32) -> Vec4<u32> {
    let [x, y, z, w] = bits.to_le_bytes().map(u32::from);
    vec4(x, y, z, w)
}

/// The four bytes of `bits` as signed integers, the lowest first.
pub fn unpack4x_i8(bits: u32) -> Vec4<i32> {
    let [x, y, z, w] = bits.to_le_bytes().map(|byte| i32::from(byte as i8));
    vec4(x, y, z, w)
}

/// Σ aᵢ·bᵢ, from the first component on.
pub fn dot<V: Dot>(a: V, b: V) -> V::Scalar {
    a.dot(b)
}

/// `a` where `condition`, else `b`: the order of Rust's `if`. A vector of `bool` chooses each component.
pub fn select<T, C: Choose<T>>(a: T, b: T, condition: C) -> T {
    condition.choose(a, b)
}

/// What chooses between two values.
pub trait Choose<T> {
    /// `a` where it is true, else `b`.
    fn choose(self, a: T, b: T) -> T;
}

impl<T> Choose<T> for bool {
    fn choose(self, a: T, b: T) -> T {
        if self { a } else { b }
    }
}

/// Vectors of `bool`.
pub trait Mask {
    /// Whether a component is true.
    fn any(self) -> bool;
    /// Whether all components are true.
    fn all(self) -> bool;
}

/// Whether a component is true.
pub fn any<M: Mask>(mask: M) -> bool {
    mask.any()
}

/// Whether all components are true.
pub fn all<M: Mask>(mask: M) -> bool {
    mask.all()
}

/// Vectors of floats, which have a length.
pub trait Geometric: Copy {
    /// A component.
    type Scalar: Float
        + Sub<Output = Self::Scalar>
        + Mul<Output = Self::Scalar>
        + Add<Output = Self::Scalar>
        + Div<Output = Self::Scalar>;
    /// Σ aᵢ·bᵢ
    fn dot(self, other: Self) -> Self::Scalar;
    /// Each component times `by`.
    #[must_use]
    fn scaled(self, by: Self::Scalar) -> Self;
    /// The sum.
    #[must_use]
    fn plus(self, other: Self) -> Self;
}

/// √Σ vᵢ²
pub fn length<V: Geometric>(v: V) -> V::Scalar {
    v.dot(v).sqrt()
}

/// The length of `a - b`.
pub fn distance<V: Geometric>(a: V, b: V) -> V::Scalar {
    length(a.plus(b.scaled(V::Scalar::of(-1.0))))
}

/// `v` in its direction with length 1.
pub fn normalize<V: Geometric>(v: V) -> V {
    v.scaled(V::Scalar::of(1.0) / length(v))
}

/// `v` reflected at the plane whose normal is `normal`, of length 1.
pub fn reflect<V: Geometric>(v: V, normal: V) -> V {
    v.plus(normal.scaled(V::Scalar::of(-2.0) * normal.dot(v)))
}

/// `v` refracted at the plane whose normal is `normal`, both of length 1; 0 where all is reflected.
pub fn refract<V: Geometric>(v: V, normal: V, ratio: V::Scalar) -> V {
    let one = V::Scalar::of(1.0);
    let along = normal.dot(v);
    let k = one - ratio * ratio * (one - along * along);
    if k < V::Scalar::of(0.0) {
        return v.scaled(V::Scalar::of(0.0));
    }
    let back = V::Scalar::of(-1.0) * (ratio * along + k.sqrt());
    v.scaled(ratio).plus(normal.scaled(back))
}

/// `v` where `reference` points against `direction`, else `-v`.
pub fn face_forward<V: Geometric>(v: V, direction: V, reference: V) -> V {
    if reference.dot(direction) < V::Scalar::of(0.0) {
        v
    } else {
        v.scaled(V::Scalar::of(-1.0))
    }
}

/// Floats and vectors of floats, component by component.
pub trait Floats: Copy {
    /// `f` of the components of all three.
    #[must_use]
    fn zip(self, b: Self, c: Self, f: impl Fn(f32, f32, f32) -> f32) -> Self;
}

impl Floats for f32 {
    fn zip(self, b: Self, c: Self, f: impl Fn(f32, f32, f32) -> f32) -> Self {
        f(self, b, c)
    }
}

impl Floats for f16 {
    fn zip(self, b: Self, c: Self, f: impl Fn(f32, f32, f32) -> f32) -> Self {
        f16::from_f32(f(self.to_f32(), b.to_f32(), c.to_f32()))
    }
}

macro_rules! floats {
    ($($vector:ident: $($field:ident)+;)+) => {
        $(impl<T: Floats> Floats for $vector<T> {
            fn zip(self, b: Self, c: Self, f: impl Fn(f32, f32, f32) -> f32) -> Self {
                Self { $($field: self.$field.zip(b.$field, c.$field, &f)),+ }
            }
        })+
    };
}
floats! {
    Vec2: x y;
    Vec3: x y z;
    Vec4: x y z w;
}

/// `x` held to 0 to 1.
pub fn saturate<V: Floats>(x: V) -> V {
    x.zip(x, x, |x, _, _| x.clamp(0.0, 1.0))
}

/// An `f32` or a vector of them, as fractions times powers of two.
pub trait Powers: Copy {
    /// The exponents.
    type Exponent;
    /// The fractions.
    #[must_use]
    fn fraction(self) -> Self;
    /// The exponents.
    fn exponent(self) -> Self::Exponent;
}

impl Powers for f32 {
    type Exponent = i32;
    fn fraction(self) -> Self {
        float::frexp(self).0
    }
    fn exponent(self) -> i32 {
        float::frexp(self).1
    }
}

macro_rules! powers {
    ($($vector:ident)+) => {
        $(impl Powers for $vector<f32> {
            type Exponent = $vector<i32>;
            fn fraction(self) -> Self {
                self.map(Powers::fraction)
            }
            fn exponent(self) -> $vector<i32> {
                self.map(Powers::exponent)
            }
        })+
    };
}
powers!(Vec2 Vec3 Vec4);

/// The fraction of `x` as `fraction · 2ⁿ`: at least 1/2 and below 1. A GPU may take a number below the
/// normal ones for 0, and gives anything for what is not finite.
pub fn frexp_fract<V: Powers>(x: V) -> V {
    x.fraction()
}

/// The exponent `n` of `x` as `fraction · 2ⁿ`.
pub fn frexp_exp<V: Powers>(x: V) -> V::Exponent {
    x.exponent()
}

/// `x` · 2 to the power of `exponent`.
pub fn ldexp(x: f32, exponent: i32) -> f32 {
    (f64::from(x) * f64::from(exponent).exp2()) as f32
}

/// Integers of 32 bits and vectors of them.
pub trait Bits: Copy {
    /// Where the highest bit is that differs from the sign: -1 for none.
    #[must_use]
    fn leading(self) -> Self;
    /// Where the lowest bit is that is set: -1 for none.
    #[must_use]
    fn trailing(self) -> Self;
    /// Bits `offset .. offset + count`.
    #[must_use]
    fn extracted(self, offset: u32, count: u32) -> Self;
    /// With bits `offset .. offset + count` taken from the low bits of `new`.
    #[must_use]
    fn inserted(self, new: Self, offset: u32, count: u32) -> Self;
}

impl Bits for u32 {
    fn leading(self) -> Self {
        31_u32.wrapping_sub(self.leading_zeros())
    }
    fn trailing(self) -> Self {
        if self == 0 {
            u32::MAX
        } else {
            self.trailing_zeros()
        }
    }
    fn extracted(self, offset: u32, count: u32) -> Self {
        let offset = offset.min(32);
        let count = count.min(32 - offset);
        if count == 0 {
            return 0;
        }
        (self >> offset) & (u32::MAX >> (32 - count))
    }
    fn inserted(self, new: Self, offset: u32, count: u32) -> Self {
        let offset = offset.min(32);
        let count = count.min(32 - offset);
        if count == 0 {
            return self;
        }
        let mask = (u32::MAX >> (32 - count)) << offset;
        (self & !mask) | ((new << offset) & mask)
    }
}

impl Bits for i32 {
    fn leading(self) -> Self {
        let bits = if self < 0 { !self } else { self };
        (bits as u32).leading() as i32
    }
    fn trailing(self) -> Self {
        (self as u32).trailing() as i32
    }
    fn extracted(self, offset: u32, count: u32) -> Self {
        let count = count.min(32 - offset.min(32));
        if count == 0 {
            return 0;
        }
        let bits = (self as u32).extracted(offset, count);
        ((bits << (32 - count)) as i32) >> (32 - count)
    }
    fn inserted(self, new: Self, offset: u32, count: u32) -> Self {
        (self as u32).inserted(new as u32, offset, count) as i32
    }
}

macro_rules! bits {
    ($($vector:ident)+) => {
        $(impl<T: Bits> Bits for $vector<T> {
            fn leading(self) -> Self { self.map(T::leading) }
            fn trailing(self) -> Self { self.map(T::trailing) }
            fn extracted(self, offset: u32, count: u32) -> Self {
                self.map(|x| x.extracted(offset, count))
            }
            fn inserted(self, new: Self, offset: u32, count: u32) -> Self {
                self.with(new, |bits, new| bits.inserted(new, offset, count))
            }
        })+
    };
}
bits!(Vec2 Vec3 Vec4);

/// Where the highest bit is that differs from the sign, from 0; all bits for none.
pub fn first_leading_bit<V: Bits>(x: V) -> V {
    x.leading()
}

/// Where the lowest bit is that is set, from 0; all bits for none.
pub fn first_trailing_bit<V: Bits>(x: V) -> V {
    x.trailing()
}

/// 1 / √x
pub fn inverse_sqrt(x: f32) -> f32 {
    1.0 / x.sqrt()
}

/// Σ of the products of the four signed bytes of `a` and `b`.
pub fn dot4_i8_packed(a: u32, b: u32) -> i32 {
    let (a, b) = (unpack4x_i8(a), unpack4x_i8(b));
    a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w
}

/// Σ of the products of the four unsigned bytes of `a` and `b`.
pub fn dot4_u8_packed(a: u32, b: u32) -> u32 {
    let (a, b) = (unpack4x_u8(a), unpack4x_u8(b));
    a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w
}

/// `x` rounded to the nearest f16, as f32.
pub fn quantize_to_f16(x: f32) -> f32 {
    f16::from_f32(x).to_f32()
}

/// How much of each is in a mixture of two `V`: one number, or one a component.
pub trait Share<V> {
    /// The same for all components.
    fn share(self) -> V;
}

impl<V: Floats> Share<V> for V {
    fn share(self) -> V {
        self
    }
}

macro_rules! share {
    ($($vector:ident)+) => {
        $(impl Share<$vector<f32>> for f32 {
            fn share(self) -> $vector<f32> {
                $vector::splat(self)
            }
        })+
    };
}
share!(Vec2 Vec3 Vec4);

/// `a` where `t` is 0, `b` where it is 1.
pub fn mix<V: Floats, T: Share<V>>(a: V, b: V, t: T) -> V {
    a.zip(b, t.share(), |a, b, t| a * (1.0 - t) + b * t)
}

/// 1 where `x` has reached `edge`, else 0.
pub fn step<V: Floats>(edge: V, x: V) -> V {
    edge.zip(x, x, |edge, x, _| if edge <= x { 1.0 } else { 0.0 })
}

/// Hermite interpolation from 0 at `low` to 1 at `high`.
pub fn smoothstep<V: Floats>(low: V, high: V, x: V) -> V {
    low.zip(high, x, |low, high, x| {
        let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    })
}

/// Bits `offset .. offset + count` of `bits`, as the low bits; those of a signed number with its sign.
pub fn extract_bits<V: Bits>(bits: V, offset: u32, count: u32) -> V {
    bits.extracted(offset, count)
}

/// `bits` with bits `offset .. offset + count` taken from the low bits of `new`.
pub fn insert_bits<V: Bits>(bits: V, new: V, offset: u32, count: u32) -> V {
    bits.inserted(new, offset, count)
}

/// The four bytes of `v`'s components, the first the lowest.
pub fn pack4x_u8(v: Vec4<u32>) -> u32 {
    u32::from_le_bytes(v.to_array().map(|value| value as u8))
}

/// The four low bytes of `v`'s components, the first the lowest.
pub fn pack4x_i8(v: Vec4<i32>) -> u32 {
    u32::from_le_bytes(v.to_array().map(|value| value as u8))
}

/// The components of `v`, held to 0 to 255, a byte each.
pub fn pack4x_u8_clamp(v: Vec4<u32>) -> u32 {
    u32::from_le_bytes(v.to_array().map(|value| value.min(255) as u8))
}

/// The components of `v`, held to -128 to 127, a byte each.
pub fn pack4x_i8_clamp(v: Vec4<i32>) -> u32 {
    u32::from_le_bytes(v.to_array().map(|value| value.clamp(-128, 127) as u8))
}

/// Both components of `v` as f16, the first in the low half.
pub fn pack2x16float(v: Vec2<f32>) -> u32 {
    let half = |value: f32| u32::from(f16::from_f32(value).to_bits());
    half(v.x) | half(v.y) << 16
}

fn normalised(value: f32, low: f32, scale: f32) -> i32 {
    (0.5 + scale * value.clamp(low, 1.0)).floor() as i32
}

/// The components of `v` from -1 to 1 as signed bytes of 127ths.
pub fn pack4x8snorm(v: Vec4<f32>) -> u32 {
    u32::from_le_bytes(
        v.to_array()
            .map(|value| normalised(value, -1.0, 127.0) as u8),
    )
}

/// The components of `v` from 0 to 1 as bytes of 255ths.
pub fn pack4x8unorm(v: Vec4<f32>) -> u32 {
    u32::from_le_bytes(
        v.to_array()
            .map(|value| normalised(value, 0.0, 255.0) as u8),
    )
}

/// The components of `v` from -1 to 1 as signed halves of 32767ths.
pub fn pack2x16snorm(v: Vec2<f32>) -> u32 {
    let half = |value| u32::from(normalised(value, -1.0, 32767.0) as u16);
    half(v.x) | half(v.y) << 16
}

/// The components of `v` from 0 to 1 as halves of 65535ths.
pub fn pack2x16unorm(v: Vec2<f32>) -> u32 {
    let half = |value| u32::from(normalised(value, 0.0, 65535.0) as u16);
    half(v.x) | half(v.y) << 16
}

/// The signed bytes of `bits` in 127ths, from -1 to 1.
pub fn unpack4x8snorm(bits: u32) -> Vec4<f32> {
    let [x, y, z, w] = bits
        .to_le_bytes()
        .map(|byte| (f32::from(byte as i8) / 127.0).max(-1.0));
    vec4(x, y, z, w)
}

/// The bytes of `bits` in 255ths, from 0 to 1.
pub fn unpack4x8unorm(bits: u32) -> Vec4<f32> {
    let [x, y, z, w] = bits.to_le_bytes().map(|byte| f32::from(byte) / 255.0);
    vec4(x, y, z, w)
}

/// The signed halves of `bits` in 32767ths, from -1 to 1.
pub fn unpack2x16snorm(bits: u32) -> Vec2<f32> {
    let half = |bits: u32| (f32::from(bits as u16 as i16) / 32767.0).max(-1.0);
    vec2(half(bits), half(bits >> 16))
}

/// The halves of `bits` in 65535ths, from 0 to 1.
pub fn unpack2x16unorm(bits: u32) -> Vec2<f32> {
    let half = |bits: u32| f32::from(bits as u16) / 65535.0;
    vec2(half(bits), half(bits >> 16))
}

/// The vector across `a` and `b`.
pub fn cross(a: Vec3<f32>, b: Vec3<f32>) -> Vec3<f32> {
    vec3(
        a.y * b.z - a.z * b.y,
        a.z * b.x - a.x * b.z,
        a.x * b.y - a.y * b.x,
    )
}

/// Each component as f32.
pub fn to_f32<V: ToF32>(v: V) -> V::Output {
    v.to_f32()
}

/// Each component as f16.
pub fn to_f16<V: ToF16>(v: V) -> V::Output {
    v.to_f16()
}

/// Each component as i32: what is beyond its range becomes its end.
pub fn to_i32<V: ToInts>(v: V) -> V::Signed {
    v.to_i32()
}

/// Each component as u32: what is beyond its range becomes its end.
pub fn to_u32<V: ToInts>(v: V) -> V::Unsigned {
    v.to_u32()
}

/// Vectors that have forms of integers.
pub trait ToInts {
    /// The vector of i32.
    type Signed;
    /// The vector of u32.
    type Unsigned;
    /// Each component as i32.
    fn to_i32(self) -> Self::Signed;
    /// Each component as u32.
    fn to_u32(self) -> Self::Unsigned;
}

/// Vectors that have an f32 form.
pub trait ToF32 {
    /// The vector of f32.
    type Output;
    /// Each component as f32.
    fn to_f32(self) -> Self::Output;
}

/// Vectors of f32, which have an f16 form.
pub trait ToF16 {
    /// The vector of f16.
    type Output;
    /// Each component as f16.
    fn to_f16(self) -> Self::Output;
}

macro_rules! conversions {
    ($($vector:ident)+) => {
        $(
            conversions!(@f32 $vector u32 x => x as f32);
            conversions!(@f32 $vector i32 x => x as f32);
            conversions!(@f32 $vector f16 x => x.to_f32());

            conversions!(@ints $vector f32 x => x);
            conversions!(@ints $vector u32 x => x);
            conversions!(@ints $vector i32 x => x);
            conversions!(@ints $vector f16 x => x.to_f32());

            impl ToF16 for $vector<f32> {
                type Output = $vector<f16>;
                fn to_f16(self) -> $vector<f16> {
                    self.map(f16::from_f32)
                }
            }
        )+
    };
    (@ints $vector:ident $scalar:ident $x:ident => $value:expr) => {
        impl ToInts for $vector<$scalar> {
            type Signed = $vector<i32>;
            type Unsigned = $vector<u32>;
            fn to_i32(self) -> $vector<i32> {
                self.map(|$x| $value as i32)
            }
            fn to_u32(self) -> $vector<u32> {
                self.map(|$x| $value as u32)
            }
        }
    };
    (@f32 $vector:ident $scalar:ident $x:ident => $value:expr) => {
        impl ToF32 for $vector<$scalar> {
            type Output = $vector<f32>;
            fn to_f32(self) -> $vector<f32> {
                self.map(|$x| $value)
            }
        }
    };
}
conversions!(Vec2 Vec3 Vec4);
