//! IQ4_NL: y = d · value(q)

use rlx_kernels::prelude::*;

use super::bytes::{look_up, nibbles};

/// What the bytes of `word`, each at most 15, stand for: sixteen values spaced more closely around zero.
#[device]
pub(crate) fn values(word: u32) -> u32 {
    look_up(word, 0xbfad9881, 0xf6eaddcf, 0x26190d01, 0x71594535)
}

/// 32 weights: low nibbles are the first 16, high nibbles the last 16.
#[format(name = "IQ4_NL", ggml = 20, elems = 32, bytes = 18, run = 32, layout { d: f16, qs: [u8; 16] })]
impl BlockFormat for IQ4NL {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        values(nibbles(b.qs_u32((i % 16) / 4), i / 16))
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }
}
