//! IQ2_XXS: y = ±d · scale · codebook

use rlx_kernels::prelude::*;

use super::bytes::signed;
use super::codebook::{self, entry, even_signs, thirds};

/// 256 weights. Each 32 of them have four numbers of codebook entries of eight weights, then a word with
/// seven bits of signs an entry and four of scale.
#[format(
    name = "IQ2_XXS", ggml = 16, elems = 256, bytes = 66, run = 32,
    layout { d: f16, qs: [u8; 64] },
    tables { grid: [u32; 128] = codebook::IQ2_XXS },
)]
impl BlockFormat for IQ2XXS {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let l = (i / 8) % 4;
        let index = b.qs(8 * (i / 32) + l);
        let signs = even_signs(b.qs_u32(2 * (i / 32) + 1) >> (7 * l));
        let codes = entry(Self::grid(index / 2), index);
        signed(thirds(codes >> (2 * (i % 8))), signs >> (i % 8))
    }

    fn scale(b: Block<Self>, i: u32) -> f32 {
        let word = b.qs_u32(2 * (i / 32) + 1);
        b.d() * (0.5 + (word >> 28) as f32) * 0.25
    }
}
