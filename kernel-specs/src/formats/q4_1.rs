//! Q4_1: y = d · q + m

use rlx_kernels::prelude::*;

use super::nibble::nibbles;

/// 32 weights: low nibbles are the first 16, high nibbles the last 16.
#[format(name = "Q4_1", ggml = 3, elems = 32, bytes = 20, layout { d: f16, m: f16, qs: [u8; 16] })]
impl BlockFormat for Q4_1 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let q = (b.qs(i % 16) >> (4 * (i / 16))) & 15;
        b.d() * q as f32 + b.m()
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = (i % 16) / 4;
        let high = i / 16;
        let d = b.d();
        let m = b.m();
        [
            nibbles(b.qs_u32(word), high) * d + m,
            nibbles(b.qs_u32(word + 1), high) * d + m,
        ]
    }
}
