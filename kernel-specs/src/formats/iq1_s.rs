//! IQ1_S: y = d · scale · (codebook ± ⅛)

use rlx_kernels::prelude::*;

use super::codebook::{self, entry, pairs, pick};

/// 256 weights in runs of eight: the number of a codebook entry has eight bits in `qs` and three in `qh`,
/// which also holds a scale of three bits and the sign of the shift for each four runs.
#[format(
    name = "IQ1_S", ggml = 19, elems = 256, bytes = 50,
    layout { d: f16, qs: [u8; 32], qh: [u16; 8] },
    tables { grid: [u32; 1024] = codebook::IQ1 },
)]
impl BlockFormat for IQ1S {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        pick(Self::decode8(b, i / 8 * 8), i % 8)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let run = i / 8;
        let high = b.qh(i / 32);
        let index = b.qs(run) | (((high >> (3 * (run % 4))) & 7) << 8);
        let d = b.d() * (2 * ((high >> 12) & 7) + 1) as f32;
        let shift = if high >> 15 == 1 { -1.125 } else { -0.875 };
        let codes = entry(Self::grid(index / 2), index);
        [
            (to_f32(pairs(codes)) + shift) * d,
            (to_f32(pairs(codes >> 8)) + shift) * d,
        ]
    }
}
