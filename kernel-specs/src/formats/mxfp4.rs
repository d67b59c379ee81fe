//! MXFP4: y = 2^(e − 127) · q (OCP Microscaling Formats, 2023)

use rlx_kernels::prelude::*;

use super::fp4::{all_doubled, doubled};

/// 32 weights: low nibbles are the first 16, high nibbles the last 16.
#[format(name = "MXFP4", ggml = 39, elems = 32, bytes = 17, layout { e: u8, qs: [u8; 16] })]
impl BlockFormat for MXFP4 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let q = (b.qs(i % 16) >> (4 * (i / 16))) & 15;
        doubled(q) * Self::root(b.e() / 2) * Self::root(b.e() - b.e() / 2)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = (i % 16) / 4;
        let shift = 4 * (i / 16);
        let e = b.e();
        let first = Self::root(e / 2);
        let second = Self::root(e - e / 2);
        [
            all_doubled((b.qs_u32(word) >> shift) & 0x0f0f0f0f) * first * second,
            all_doubled((b.qs_u32(word + 1) >> shift) & 0x0f0f0f0f) * first * second,
        ]
    }

    /// 2^(half − 64): half of the scale's exponent. The whole, 2^(e − 128), is subnormal for e < 2, and a GPU
    /// may take it for zero.
    fn root(half: u32) -> f32 {
        f32::from_bits((half + 63) << 23)
    }
}
