//! IQ3_S: y = ±d · scale · codebook

use rlx_kernels::prelude::*;

use super::codebook::{self, entry, odd, pick, signed};

/// 256 weights in runs of four: the number of a codebook entry has eight bits in `qs` and one in `qh`; a
/// sign is a bit, and 32 weights share a scale of four bits.
#[format(
    name = "IQ3_S", ggml = 21, elems = 256, bytes = 110,
    layout { d: f16, qs: [u8; 64], qh: [u8; 8], signs: [u8; 32], scales: [u8; 4] },
    tables { grid: [u32; 256] = codebook::IQ3_S },
)]
impl BlockFormat for IQ3S {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        pick(Self::decode8(b, i / 8 * 8), i % 8)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let scale = (b.scales(i / 64) >> (4 * ((i / 32) % 2))) & 15;
        let d = b.d() * (1 + 2 * scale) as f32;
        let signs = b.signs(i / 8);
        [
            signed(Self::codes(b, i / 4), signs) * d,
            signed(Self::codes(b, i / 4 + 1), signs >> 4) * d,
        ]
    }

    /// Run `run` of four, of a scale of one and without signs.
    fn codes(b: Block<Self>, run: u32) -> Vec4<f32> {
        let index = b.qs(run) | (((b.qh(run / 8) >> (run % 8)) & 1) << 8);
        odd(entry(Self::grid(index / 2), index))
    }
}
