//! Q5_1: y = d · q + m

use rlx_kernels::prelude::*;

use super::bytes::{bits, nibbles};

/// 32 weights of five bits, laid out as in Q5_0, with a minimum.
#[format(name = "Q5_1", ggml = 7, elems = 32, bytes = 24, run = 32, layout { d: f16, m: f16, qh: u32, qs: [u8; 16] })]
impl BlockFormat for Q5_1 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let low = nibbles(b.qs_u32((i % 16) / 4), i / 16);
        low | (bits(b.qh() >> i) << 4)
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }

    fn minimum(b: Block<Self>, _i: u32) -> f32 {
        -b.m()
    }
}
