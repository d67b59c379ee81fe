//! IQ3_XXS: y = ±d · scale · codebook

use rlx_kernels::prelude::*;

use super::bytes::signed;
use super::codebook::{self, eighths, entry, even_signs};

/// 256 weights in runs of four, each a codebook entry. `signs` holds seven bits of signs for each two runs
/// and four of scale for each eight.
#[format(
    name = "IQ3_XXS", ggml = 18, elems = 256, bytes = 98, run = 32,
    layout { d: f16, qs: [u8; 64], signs: [u32; 8] },
    tables { grid: [u32; 128] = codebook::IQ3_XXS },
)]
impl BlockFormat for IQ3XXS {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let index = b.qs(i / 4);
        let signs = even_signs(b.signs(i / 32) >> (7 * ((i / 8) % 4)));
        signed(
            eighths(entry(Self::grid(index / 2), index)),
            signs >> (i % 8),
        )
    }

    fn scale(b: Block<Self>, i: u32) -> f32 {
        b.d() * (0.5 + (b.signs(i / 32) >> 28) as f32) * 0.5
    }
}
