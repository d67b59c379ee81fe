//! Q5_0: y = d · (q − 16)

use rlx_kernels::prelude::*;

use super::bytes::{bits, less, nibbles};

/// 32 weights of five bits: four in `qs` (low nibbles are the first 16, high nibbles the last 16),
/// the fifth of weight `i` in bit `i` of `qh`.
#[format(name = "Q5_0", ggml = 6, elems = 32, bytes = 22, run = 32, layout { d: f16, qh: u32, qs: [u8; 16] })]
impl BlockFormat for Q5_0 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let low = nibbles(b.qs_u32((i % 16) / 4), i / 16);
        less(low | (bits(b.qh() >> i) << 4), 16)
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }
}
