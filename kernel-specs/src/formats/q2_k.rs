//! Q2_K: y = d · scale · q − dmin · min

use rlx_kernels::prelude::*;

/// 256 weights of two bits in sixteen sub-blocks of 16, with a 4-bit scale and a 4-bit minimum each.
/// Each half of the block has 32 bytes, whose four pairs of bits are four runs of 32 weights.
#[format(name = "Q2_K", ggml = 10, elems = 256, bytes = 84, layout { scales: [u8; 16], qs: [u8; 64], d: f16, dmin: f16 })]
impl BlockFormat for Q2K {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let q = (b.qs(32 * (i / 128) + i % 32) >> (2 * ((i / 32) % 4))) & 3;
        let s = b.scales(i / 16);
        b.d() * (s & 15) as f32 * q as f32 - b.dmin() * (s >> 4) as f32
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = 8 * (i / 128) + (i % 32) / 4;
        let shift = 2 * ((i / 32) % 4);
        let s = b.scales(i / 16);
        let d = b.d() * (s & 15) as f32;
        let m = b.dmin() * (s >> 4) as f32;
        [
            to_f32(unpack4x_u8((b.qs_u32(word) >> shift) & 0x03030303)) * d - m,
            to_f32(unpack4x_u8((b.qs_u32(word + 1) >> shift) & 0x03030303)) * d - m,
        ]
    }
}
