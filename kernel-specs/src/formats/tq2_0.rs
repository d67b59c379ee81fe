//! TQ2_0: y = d · (q − 1)

use rlx_kernels::prelude::*;

/// 256 weights of two bits. Each half of the block has 32 bytes, whose four pairs of bits are four
/// runs of 32 weights.
#[format(name = "TQ2_0", ggml = 35, elems = 256, bytes = 66, layout { qs: [u8; 64], d: f16 })]
impl BlockFormat for TQ2_0 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let q = (b.qs(32 * (i / 128) + i % 32) >> (2 * ((i / 32) % 4))) & 3;
        (q as f32 - 1.0) * b.d()
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = 8 * (i / 128) + (i % 32) / 4;
        let shift = 2 * ((i / 32) % 4);
        let d = b.d();
        [
            (to_f32(unpack4x_u8((b.qs_u32(word) >> shift) & 0x03030303)) - 1.0) * d,
            (to_f32(unpack4x_u8((b.qs_u32(word + 1) >> shift) & 0x03030303)) - 1.0) * d,
        ]
    }
}
