//! NVFP4: y = scale · q

use rlx_kernels::prelude::*;

use super::fp4::{all_doubled, doubled};

/// 64 weights in four sub-blocks of 16, each with a scale of four exponent and three mantissa bits.
/// Low nibbles are the first 8 of a sub-block, high nibbles the last 8.
#[format(name = "NVFP4", ggml = 40, elems = 64, bytes = 36, layout { d: [u8; 4], qs: [u8; 32] })]
impl BlockFormat for NVFP4 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let q = (b.qs(8 * (i / 16) + i % 8) >> (4 * ((i % 16) / 8))) & 15;
        Self::half_scale(b, i / 16) * doubled(q)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = 2 * (i / 16);
        let shift = 4 * ((i % 16) / 8);
        let d = Self::half_scale(b, i / 16);
        [
            all_doubled((b.qs_u32(word) >> shift) & 0x0f0f0f0f) * d,
            all_doubled((b.qs_u32(word + 1) >> shift) & 0x0f0f0f0f) * d,
        ]
    }

    /// Half the scale of sub-block `s`. The bits 0x7f, which would be NaN, are zero.
    fn half_scale(b: Block<Self>, s: u32) -> f32 {
        let bits = b.d(s);
        let exponent = (bits >> 3) & 15;
        let mantissa = bits & 7;
        if bits == 0x7f {
            0.0
        } else if exponent == 0 {
            mantissa as f32 * 0.0009765625
        } else {
            f32::from_bits(((exponent + 119) << 23) | (mantissa << 20))
        }
    }
}
