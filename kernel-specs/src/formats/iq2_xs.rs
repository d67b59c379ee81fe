//! IQ2_XS: y = ±d · scale · codebook

use rlx_kernels::prelude::*;

use super::bytes::signed;
use super::codebook::{self, entry, even_signs, thirds};

/// 256 weights in runs of eight: nine bits are the number of a codebook entry, seven its signs. Two runs
/// share a scale of four bits.
#[format(
    name = "IQ2_XS", ggml = 17, elems = 256, bytes = 74, run = 16,
    layout { d: f16, qs: [u16; 32], scales: [u8; 8] },
    tables { grid: [u32; 256] = codebook::IQ2_XS },
)]
impl BlockFormat for IQ2XS {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let q = b.qs(i / 8);
        let codes = entry(Self::grid((q & 511) / 2), q);
        signed(
            thirds(codes >> (2 * (i % 8))),
            even_signs(q >> 9) >> (i % 8),
        )
    }

    fn scale(b: Block<Self>, i: u32) -> f32 {
        let scale = (b.scales(i / 32) >> (4 * ((i / 16) % 2))) & 15;
        b.d() * (0.5 + scale as f32) * 0.25
    }
}
