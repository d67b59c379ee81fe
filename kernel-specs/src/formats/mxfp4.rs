//! MXFP4: y = 2^(e − 127) · q (OCP Microscaling Formats, 2023)

use rlx_kernels::prelude::*;

use super::bytes::nibbles;
use super::fp4::doubled;

/// 32 weights: low nibbles are the first 16, high nibbles the last 16.
#[format(name = "MXFP4", ggml = 39, elems = 32, bytes = 17, run = 32, layout { e: u8, qs: [u8; 16] })]
impl BlockFormat for MXFP4 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        doubled(nibbles(b.qs_u32((i % 16) / 4), i / 16))
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        Self::root(b.e() / 2) * Self::root(b.e() - b.e() / 2)
    }

    fn decode(b: Block<Self>, i: u32) -> f32 {
        let q = (Self::quants(b, i / 4 * 4) << (24 - 8 * (i % 4))) as i32 >> 24;
        q as f32 * Self::root(b.e() / 2) * Self::root(b.e() - b.e() / 2)
    }

    /// The factors of the scale one after the other: the whole, 2^(e − 128), is subnormal for e < 2, and a
    /// GPU may take it for zero.
    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let e = b.e();
        let first = Self::root(e / 2);
        let second = Self::root(e - e / 2);
        [
            to_f32(unpack4x_i8(Self::quants(b, i))) * first * second,
            to_f32(unpack4x_i8(Self::quants(b, i + 4))) * first * second,
        ]
    }

    /// 2^(half − 64), of half of the scale's exponent.
    fn root(half: u32) -> f32 {
        f32::from_bits((half + 63) << 23)
    }
}
