//! IQ4_XS: y = d · scale · value(q)

use rlx_kernels::prelude::*;

use super::iq4_nl::{value, values};

/// 256 weights in eight sub-blocks of 32, each laid out as IQ4_NL, with 6-bit scales: four bits in
/// `scales_l`, two in `scales_h`.
#[format(name = "IQ4_XS", ggml = 23, elems = 256, bytes = 136, layout { d: f16, scales_h: u16, scales_l: [u8; 4], qs: [u8; 128] })]
impl BlockFormat for IQ4XS {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let q = (b.qs(16 * (i / 32) + i % 16) >> (4 * ((i % 32) / 16))) & 15;
        b.d() * Self::scale(b, i / 32) * value(q)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = 4 * (i / 32) + (i % 16) / 4;
        let shift = 4 * ((i % 32) / 16);
        let d = b.d() * Self::scale(b, i / 32);
        [
            values((b.qs_u32(word) >> shift) & 0x0f0f0f0f) * d,
            values((b.qs_u32(word + 1) >> shift) & 0x0f0f0f0f) * d,
        ]
    }

    /// The scale of sub-block `j`, -32 to 31.
    fn scale(b: Block<Self>, j: u32) -> f32 {
        let low = (b.scales_l(j / 2) >> (4 * (j % 2))) & 15;
        let high = (b.scales_h() >> (2 * j)) & 3;
        (low | (high << 4)) as f32 - 32.0
    }
}
