//! Q4_0: y = d · (q − 8)

use rlx_kernels::prelude::*;

use super::nibble::nibbles;

/// 32 weights: low nibbles are the first 16, high nibbles the last 16.
#[format(name = "Q4_0", ggml = 2, elems = 32, bytes = 18, layout { d: f16, qs: [u8; 16] })]
impl BlockFormat for Q4_0 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let q = (b.qs(i % 16) >> (4 * (i / 16))) & 15;
        b.d() * (q as f32 - 8.0)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = (i % 16) / 4;
        let high = i / 16;
        let d = b.d();
        [
            (nibbles(b.qs_u32(word), high) - 8.0) * d,
            (nibbles(b.qs_u32(word + 1), high) - 8.0) * d,
        ]
    }
}
