//! IQ4_XS: y = d · scale · value(q)

use rlx_kernels::prelude::*;

use super::bytes::nibbles;
use super::iq4_nl::values;

/// 256 weights in eight sub-blocks of 32, each laid out as IQ4_NL, with 6-bit scales: four bits in
/// `scales_l`, two in `scales_h`.
#[format(
    name = "IQ4_XS", ggml = 23, elems = 256, bytes = 136, run = 32,
    layout { d: f16, scales_h: u16, scales_l: [u8; 4], qs: [u8; 128] },
)]
impl BlockFormat for IQ4XS {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        values(nibbles(
            b.qs_u32(4 * (i / 32) + (i % 16) / 4),
            (i % 32) / 16,
        ))
    }

    /// The scales are -32 to 31.
    fn scale(b: Block<Self>, i: u32) -> f32 {
        let j = i / 32;
        let low = (b.scales_l(j / 2) >> (4 * (j % 2))) & 15;
        let high = (b.scales_h() >> (2 * j)) & 3;
        b.d() * ((low | (high << 4)) as f32 - 32.0)
    }
}
