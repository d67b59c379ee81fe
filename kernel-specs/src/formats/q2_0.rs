//! Q2_0: y = d · (q − 1)

use rlx_kernels::prelude::*;

use super::bytes::{less, pairs};

/// 64 weights of two bits, four to a byte.
#[format(name = "Q2_0", ggml = 42, elems = 64, bytes = 18, run = 32, layout { d: f16, qs: [u8; 16] })]
impl BlockFormat for Q2_0 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        less(pairs(b.qs(i / 4)), 1)
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }
}
