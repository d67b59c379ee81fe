//! TQ2_0: y = d · (q − 1)

use rlx_kernels::prelude::*;

use super::bytes::less;

/// 256 weights of two bits. Each half of the block has 32 bytes, whose four pairs of bits are four
/// runs of 32 weights.
#[format(name = "TQ2_0", ggml = 35, elems = 256, bytes = 66, run = 32, layout { qs: [u8; 64], d: f16 })]
impl BlockFormat for TQ2_0 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let word = b.qs_u32(8 * (i / 128) + (i % 32) / 4);
        less((word >> (2 * ((i / 32) % 4))) & 0x03030303, 1)
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }
}
