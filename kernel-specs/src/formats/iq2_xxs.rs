//! IQ2_XXS: y = ±d · scale · codebook

use rlx_kernels::prelude::*;

use super::codebook::{self, entry, even_signs, pick, signed, thirds};

/// 256 weights. Each 32 of them have four numbers of codebook entries of eight weights, then a word with
/// seven bits of signs an entry and four of scale.
#[format(
    name = "IQ2_XXS", ggml = 16, elems = 256, bytes = 66,
    layout { d: f16, qs: [u8; 64] },
    tables { grid: [u32; 128] = codebook::IQ2_XXS },
)]
impl BlockFormat for IQ2XXS {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        pick(Self::decode8(b, i / 8 * 8), i % 8)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let l = (i / 8) % 4;
        let index = b.qs(8 * (i / 32) + l);
        let word = b.qs_u32(2 * (i / 32) + 1);
        let d = b.d() * (0.5 + (word >> 28) as f32) * 0.25;
        let signs = even_signs(word >> (7 * l));
        let codes = entry(Self::grid(index / 2), index);
        [
            signed(thirds(codes), signs) * d,
            signed(thirds(codes >> 8), signs >> 4) * d,
        ]
    }
}
