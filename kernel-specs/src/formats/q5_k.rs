//! Q5_K: y = d · scale · q − dmin · min

use rlx_kernels::prelude::*;

use super::superblock::{minimum, scale};

/// 256 weights in eight sub-blocks of 32, as in Q4_K, with a fifth bit: that of weight `l` of
/// sub-block `j` is bit `j` of `qh[l]`.
#[format(name = "Q5_K", ggml = 13, elems = 256, bytes = 176, layout { d: f16, dmin: f16, scales: [u8; 12], qh: [u8; 32], qs: [u8; 128] })]
impl BlockFormat for Q5K {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let j = i / 32;
        let low = (b.qs(32 * (j / 2) + i % 32) >> (4 * (j % 2))) & 15;
        let high = (b.qh(i % 32) >> j) & 1;
        let d = b.d() * scale(b.scales_u32(0), b.scales_u32(2), j) as f32;
        d * (low | (high << 4)) as f32
            - b.dmin() * minimum(b.scales_u32(1), b.scales_u32(2), j) as f32
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let j = i / 32;
        let d = b.d() * scale(b.scales_u32(0), b.scales_u32(2), j) as f32;
        let m = b.dmin() * minimum(b.scales_u32(1), b.scales_u32(2), j) as f32;
        [
            to_f32(unpack4x_u8(Self::quants(b, i))) * d - m,
            to_f32(unpack4x_u8(Self::quants(b, i + 4))) * d - m,
        ]
    }

    /// The 5-bit quants `i .. i + 4`, a byte each.
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let j = i / 32;
        let word = (i % 32) / 4;
        let low = (b.qs_u32(8 * (j / 2) + word) >> (4 * (j % 2))) & 0x0f0f0f0f;
        let high = (b.qh_u32(word) >> j) & 0x01010101;
        low | (high << 4)
    }
}
