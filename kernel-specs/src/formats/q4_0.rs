//! Q4_0: y = d · (q − 8)

use rlx_kernels::prelude::*;

use super::bytes::{less, nibbles};

/// 32 weights: low nibbles are the first 16, high nibbles the last 16.
#[format(name = "Q4_0", ggml = 2, elems = 32, bytes = 18, run = 32, layout { d: f16, qs: [u8; 16] })]
impl BlockFormat for Q4_0 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        less(nibbles(b.qs_u32((i % 16) / 4), i / 16), 8)
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }
}
