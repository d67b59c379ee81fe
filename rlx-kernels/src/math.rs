//! WGSL builtins that are plain functions of their arguments, for rustc's side of a `#[device]`
//! function. Each gives the bits that WGSL asks for.

use half::f16;

use crate::vector::{Vec2, Vec4, vec2, vec4};

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
pub fn dot(a: Vec4<f32>, b: Vec4<f32>) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w
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

/// Each component as f32.
pub fn to_f32<V: ToF32>(v: V) -> V::Output {
    v.to_f32()
}

/// Vectors of integers that have an f32 form.
pub trait ToF32 {
    /// The vector of f32.
    type Output;
    /// Each component as f32.
    fn to_f32(self) -> Self::Output;
}

impl ToF32 for Vec4<u32> {
    type Output = Vec4<f32>;
    fn to_f32(self) -> Vec4<f32> {
        vec4(self.x as f32, self.y as f32, self.z as f32, self.w as f32)
    }
}

impl ToF32 for Vec4<i32> {
    type Output = Vec4<f32>;
    fn to_f32(self) -> Vec4<f32> {
        vec4(self.x as f32, self.y as f32, self.z as f32, self.w as f32)
    }
}
