//! IQ1_S: y = d · scale · (codebook ± ⅛)

use rlx_kernels::prelude::*;

use super::codebook::{self, entry, shifted};

/// 256 weights in runs of eight: the number of a codebook entry has eight bits in `qs` and three in `qh`,
/// which also holds a scale of three bits and the sign of the shift for each four runs.
#[format(
    name = "IQ1_S", ggml = 19, elems = 256, bytes = 50, run = 32,
    layout { d: f16, qs: [u8; 32], qh: [u16; 8] },
    tables { grid: [u32; 1024] = codebook::IQ1 },
)]
impl BlockFormat for IQ1S {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let run = i / 8;
        let high = b.qh(i / 32);
        let index = b.qs(run) | (((high >> (3 * (run % 4))) & 7) << 8);
        let codes = entry(Self::grid(index / 2), index);
        shifted(codes >> (2 * (i % 8)), high >> 15)
    }

    /// An eighth of ggml's, since the bytes are eighths.
    fn scale(b: Block<Self>, i: u32) -> f32 {
        b.d() * (2 * ((b.qh(i / 32) >> 12) & 7) + 1) as f32 * 0.125
    }
}
