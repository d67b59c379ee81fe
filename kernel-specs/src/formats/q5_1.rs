//! Q5_1: y = d · q + m

use rlx_kernels::prelude::*;

use super::nibble::five_bits;

/// 32 weights of five bits, laid out as in Q5_0, with a minimum.
#[format(name = "Q5_1", ggml = 7, elems = 32, bytes = 24, layout { d: f16, m: f16, qh: u32, qs: [u8; 16] })]
impl BlockFormat for Q5_1 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let low = (b.qs(i % 16) >> (4 * (i / 16))) & 15;
        let high = (b.qh() >> i) & 1;
        b.d() * (low | (high << 4)) as f32 + b.m()
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = (i % 16) / 4;
        let high = b.qh() >> i;
        let d = b.d();
        let m = b.m();
        [
            to_f32(unpack4x_u8(five_bits(
                b.qs_u32(word) >> (4 * (i / 16)),
                high,
            ))) * d
                + m,
            to_f32(unpack4x_u8(five_bits(
                b.qs_u32(word + 1) >> (4 * (i / 16)),
                high >> 4,
            ))) * d
                + m,
        ]
    }
}
