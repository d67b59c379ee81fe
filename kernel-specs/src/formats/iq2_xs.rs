//! IQ2_XS: y = ±d · scale · codebook

use rlx_kernels::prelude::*;

use super::codebook::{self, entry, even_signs, pick, signed, thirds};

/// 256 weights in runs of eight: nine bits are the number of a codebook entry, seven its signs. Two runs
/// share a scale of four bits.
#[format(
    name = "IQ2_XS", ggml = 17, elems = 256, bytes = 74,
    layout { d: f16, qs: [u16; 32], scales: [u8; 8] },
    tables { grid: [u32; 256] = codebook::IQ2_XS },
)]
impl BlockFormat for IQ2XS {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        pick(Self::decode8(b, i / 8 * 8), i % 8)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let q = b.qs(i / 8);
        let scale = (b.scales(i / 32) >> (4 * ((i / 16) % 2))) & 15;
        let d = b.d() * (0.5 + scale as f32) * 0.25;
        let signs = even_signs(q >> 9);
        let codes = entry(Self::grid((q & 511) / 2), q);
        [
            signed(thirds(codes), signs) * d,
            signed(thirds(codes >> 8), signs >> 4) * d,
        ]
    }
}
