//! NVFP4: y = scale · q

use rlx_kernels::prelude::*;

use super::bytes::nibbles;
use super::fp4::doubled;

/// 64 weights in four sub-blocks of 16, each with a scale of four exponent and three mantissa bits.
/// Low nibbles are the first 8 of a sub-block, high nibbles the last 8.
#[format(name = "NVFP4", ggml = 40, elems = 64, bytes = 36, run = 16, layout { d: [u8; 4], qs: [u8; 32] })]
impl BlockFormat for NVFP4 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        doubled(nibbles(b.qs_u32(2 * (i / 16) + (i % 8) / 4), (i % 16) / 8))
    }

    /// Half of the sub-block's, since the bytes are doubled. The bits 0x7f, which would be NaN, are zero.
    fn scale(b: Block<Self>, i: u32) -> f32 {
        let bits = b.d(i / 16);
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
