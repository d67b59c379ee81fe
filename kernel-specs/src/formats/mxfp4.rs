//! MXFP4: y = 2^(e − 127) · q (OCP Microscaling Formats, 2023)

use rlx_kernels::prelude::*;

use super::fp4::{all_doubled, doubled};

/// 32 weights: low nibbles are the first 16, high nibbles the last 16.
#[format(name = "MXFP4", ggml = 39, elems = 32, bytes = 17, layout { e: u8, qs: [u8; 16] })]
impl BlockFormat for MXFP4 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        Self::half_scale(b) * doubled((b.qs(i % 16) >> (4 * (i / 16))) & 15)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = (i % 16) / 4;
        let shift = 4 * (i / 16);
        let d = Self::half_scale(b);
        [
            all_doubled((b.qs_u32(word) >> shift) & 0x0f0f0f0f) * d,
            all_doubled((b.qs_u32(word + 1) >> shift) & 0x0f0f0f0f) * d,
        ]
    }

    /// 2^(e − 128); subnormal for e < 2.
    fn half_scale(b: Block<Self>) -> f32 {
        let e = b.e();
        f32::from_bits(if e < 2 {
            0x00200000 << e
        } else {
            (e - 1) << 23
        })
    }
}
