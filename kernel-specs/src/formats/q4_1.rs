//! Q4_1: y = d · q + m

use rlx_kernels::prelude::*;

use super::bytes::nibbles;

/// 32 weights: low nibbles are the first 16, high nibbles the last 16.
#[format(name = "Q4_1", ggml = 3, elems = 32, bytes = 20, run = 32, layout { d: f16, m: f16, qs: [u8; 16] })]
impl BlockFormat for Q4_1 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        nibbles(b.qs_u32((i % 16) / 4), i / 16)
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }

    fn minimum(b: Block<Self>, _i: u32) -> f32 {
        -b.m()
    }
}
