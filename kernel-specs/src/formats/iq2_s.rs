//! IQ2_S: y = ±d · scale · codebook

use rlx_kernels::prelude::*;

use super::bytes::signed;
use super::codebook::{self, entry, thirds};

/// 256 weights in runs of eight: the number of a codebook entry has eight bits in `qs` and two in `qh`,
/// its signs a byte. Two runs share a scale of four bits.
#[format(
    name = "IQ2_S", ggml = 22, elems = 256, bytes = 82, run = 16,
    layout { d: f16, qs: [u8; 32], signs: [u8; 32], qh: [u8; 8], scales: [u8; 8] },
    tables { grid: [u32; 512] = codebook::IQ2_S },
)]
impl BlockFormat for IQ2S {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let run = i / 8;
        let index = b.qs(run) | (((b.qh(run / 4) >> (2 * (run % 4))) & 3) << 8);
        let codes = entry(Self::grid(index / 2), index);
        signed(thirds(codes >> (2 * (i % 8))), b.signs(run) >> (i % 8))
    }

    fn scale(b: Block<Self>, i: u32) -> f32 {
        let scale = (b.scales(i / 32) >> (4 * ((i / 16) % 2))) & 15;
        b.d() * (0.5 + scale as f32) * 0.25
    }
}
