//! WGSL builtins that are plain functions of their arguments, for rustc's side of a `#[device]`
//! function. Each gives the bits that WGSL asks for.

use half::f16;

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

/// `a` where `condition`, else `b`: the order of Rust's `if`.
pub fn select<T>(a: T, b: T, condition: bool) -> T {
    if condition { a } else { b }
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

/// `a` where `t` is 0, `b` where it is 1.
pub fn mix(a: f32, b: f32, t: f32) -> f32 {
    a * (1.0 - t) + b * t
}

/// 1 where `x` has reached `edge`, else 0.
pub fn step(edge: f32, x: f32) -> f32 {
    if edge <= x { 1.0 } else { 0.0 }
}

/// Hermite interpolation from 0 at `low` to 1 at `high`.
pub fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Bits `offset .. offset + count` of `bits`, as the low bits.
pub fn extract_bits(bits: u32, offset: u32, count: u32) -> u32 {
    let offset = offset.min(32);
    let count = count.min(32 - offset);
    if count == 0 {
        return 0;
    }
    (bits >> offset) & (u32::MAX >> (32 - count))
}

/// `bits` with bits `offset .. offset + count` taken from the low bits of `new`.
pub fn insert_bits(bits: u32, new: u32, offset: u32, count: u32) -> u32 {
    let offset = offset.min(32);
    let count = count.min(32 - offset);
    if count == 0 {
        return bits;
    }
    let mask = (u32::MAX >> (32 - count)) << offset;
    (bits & !mask) | ((new << offset) & mask)
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

            impl ToF16 for $vector<f32> {
                type Output = $vector<f16>;
                fn to_f16(self) -> $vector<f16> {
                    self.map(f16::from_f32)
                }
            }
        )+
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
