//! Q1_0: y = ±d

use rlx_kernels::prelude::*;

use super::bytes::{bits, less};

/// 128 signs: a 1 is plus.
#[format(name = "Q1_0", ggml = 41, elems = 128, bytes = 18, run = 32, layout { d: f16, bits: [u8; 16] })]
impl BlockFormat for Q1_0 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        less(2 * bits(b.bits(i / 8) >> (i % 8)), 1)
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }
}
