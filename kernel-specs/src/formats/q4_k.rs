//! Q4_K: y = d · scale · q − dmin · min

use rlx_kernels::prelude::*;

use super::nibble::nibbles;
use super::superblock::{minimum, scale};

/// 256 weights in eight sub-blocks of 32, with 6-bit scales and minima. Two sub-blocks share 32
/// bytes: low nibbles are the even one, high nibbles the odd one.
#[format(name = "Q4_K", ggml = 12, elems = 256, bytes = 144, layout { d: f16, dmin: f16, scales: [u8; 12], qs: [u8; 128] })]
impl BlockFormat for Q4K {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let j = i / 32;
        let q = (b.qs(32 * (j / 2) + i % 32) >> (4 * (j % 2))) & 15;
        let d = b.d() * scale(b.scales_u32(0), b.scales_u32(2), j) as f32;
        d * q as f32 - b.dmin() * minimum(b.scales_u32(1), b.scales_u32(2), j) as f32
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let j = i / 32;
        let word = 8 * (j / 2) + (i % 32) / 4;
        let d = b.d() * scale(b.scales_u32(0), b.scales_u32(2), j) as f32;
        let m = b.dmin() * minimum(b.scales_u32(1), b.scales_u32(2), j) as f32;
        [
            nibbles(b.qs_u32(word), j % 2) * d - m,
            nibbles(b.qs_u32(word + 1), j % 2) * d - m,
        ]
    }
}
