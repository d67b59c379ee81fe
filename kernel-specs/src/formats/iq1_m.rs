//! IQ1_M: y = d · scale · (codebook ± ⅛)

use rlx_kernels::prelude::*;

use super::codebook::{self, entry, shifted};

/// 256 weights in runs of eight: the number of a codebook entry has eight bits in `qs` and three in `qh`,
/// the sign of its shift the fourth. `scales` holds three bits for each two runs, and in the upper nibbles
/// the four of `d`, an f16.
#[format(
    name = "IQ1_M", ggml = 29, elems = 256, bytes = 56, run = 16,
    layout { qs: [u8; 32], qh: [u8; 16], scales: [u16; 4] },
    tables { grid: [u32; 1024] = codebook::IQ1 },
)]
impl BlockFormat for IQ1M {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let run = i / 8;
        let high = b.qh(run / 2) >> (4 * (run % 2));
        let index = b.qs(run) | ((high & 7) << 8);
        let codes = entry(Self::grid(index / 2), index);
        shifted(codes >> (2 * (i % 8)), (high >> 3) & 1)
    }

    /// An eighth of ggml's, since the bytes are eighths.
    fn scale(b: Block<Self>, i: u32) -> f32 {
        let scale = (b.scales(i / 64) >> (3 * ((i / 16) % 4))) & 7;
        Self::d(b) * (2 * scale + 1) as f32 * 0.125
    }

    /// The scale of the block.
    fn d(b: Block<Self>) -> f32 {
        let bits = (b.scales(0) >> 12)
            | ((b.scales(1) >> 8) & 0xf0)
            | ((b.scales(2) >> 4) & 0xf00)
            | (b.scales(3) & 0xf000);
        unpack2x16float(bits).x
    }
}
