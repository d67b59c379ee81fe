//! IQ3_XXS: y = ±d · scale · codebook

use rlx_kernels::prelude::*;

use super::codebook::{self, eighths, entry, even_signs, pick, signed};

/// 256 weights in runs of four, each a codebook entry. `signs` holds seven bits of signs for each two runs
/// and four of scale for each eight.
#[format(
    name = "IQ3_XXS", ggml = 18, elems = 256, bytes = 98,
    layout { d: f16, qs: [u8; 64], signs: [u32; 8] },
    tables { grid: [u32; 128] = codebook::IQ3_XXS },
)]
impl BlockFormat for IQ3XXS {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        pick(Self::decode8(b, i / 8 * 8), i % 8)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = b.signs(i / 32);
        let d = b.d() * (0.5 + (word >> 28) as f32) * 0.5;
        let signs = even_signs(word >> (7 * ((i / 8) % 4)));
        [
            signed(Self::codes(b, i / 4), signs) * d,
            signed(Self::codes(b, i / 4 + 1), signs >> 4) * d,
        ]
    }

    /// Run `run` of four, of a scale of one and without signs.
    fn codes(b: Block<Self>, run: u32) -> Vec4<f32> {
        let index = b.qs(run);
        eighths(entry(Self::grid(index / 2), index))
    }
}
