//! Q2_K: y = d · scale · q − dmin · min

use rlx_kernels::prelude::*;

/// 256 weights of two bits in sixteen sub-blocks of 16, with a 4-bit scale and a 4-bit minimum each.
/// Each half of the block has 32 bytes, whose four pairs of bits are four runs of 32 weights.
#[format(
    name = "Q2_K", ggml = 10, elems = 256, bytes = 84, run = 16,
    layout { scales: [u8; 16], qs: [u8; 64], d: f16, dmin: f16 },
)]
impl BlockFormat for Q2K {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let word = b.qs_u32(8 * (i / 128) + (i % 32) / 4);
        (word >> (2 * ((i / 32) % 4))) & 0x03030303
    }

    fn scale(b: Block<Self>, i: u32) -> f32 {
        b.d() * (b.scales(i / 16) & 15) as f32
    }

    fn minimum(b: Block<Self>, i: u32) -> f32 {
        b.dmin() * (b.scales(i / 16) >> 4) as f32
    }
}
