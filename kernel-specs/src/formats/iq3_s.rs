//! IQ3_S: y = ±d · scale · codebook

use rlx_kernels::prelude::*;

use super::bytes::signed;
use super::codebook::{self, entry, odd};

/// 256 weights in runs of four: the number of a codebook entry has eight bits in `qs` and one in `qh`; a
/// sign is a bit, and 32 weights share a scale of four bits.
#[format(
    name = "IQ3_S", ggml = 21, elems = 256, bytes = 110, run = 32,
    layout { d: f16, qs: [u8; 64], qh: [u8; 8], signs: [u8; 32], scales: [u8; 4] },
    tables { grid: [u32; 256] = codebook::IQ3_S },
)]
impl BlockFormat for IQ3S {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let run = i / 4;
        let index = b.qs(run) | (((b.qh(run / 8) >> (run % 8)) & 1) << 8);
        signed(
            odd(entry(Self::grid(index / 2), index)),
            b.signs(i / 8) >> (i % 8),
        )
    }

    fn scale(b: Block<Self>, i: u32) -> f32 {
        let scale = (b.scales(i / 64) >> (4 * ((i / 32) % 2))) & 15;
        b.d() * (1 + 2 * scale) as f32
    }
}
