//! Q5_0: y = d · (q − 16)

use rlx_kernels::prelude::*;

use super::nibble::five_bits;

/// 32 weights of five bits: four in `qs` (low nibbles are the first 16, high nibbles the last 16),
/// the fifth of weight `i` in bit `i` of `qh`.
#[format(name = "Q5_0", ggml = 6, elems = 32, bytes = 22, layout { d: f16, qh: u32, qs: [u8; 16] })]
impl BlockFormat for Q5_0 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let low = (b.qs(i % 16) >> (4 * (i / 16))) & 15;
        let high = (b.qh() >> i) & 1;
        b.d() * ((low | (high << 4)) as f32 - 16.0)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = (i % 16) / 4;
        let high = b.qh() >> i;
        let d = b.d();
        [
            (to_f32(unpack4x_u8(five_bits(
                b.qs_u32(word) >> (4 * (i / 16)),
                high,
            ))) - 16.0)
                * d,
            (to_f32(unpack4x_u8(five_bits(
                b.qs_u32(word + 1) >> (4 * (i / 16)),
                high >> 4,
            ))) - 16.0)
                * d,
        ]
    }
}
