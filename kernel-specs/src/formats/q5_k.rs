//! Q5_K: y = d · scale · q − dmin · min

use rlx_kernels::prelude::*;

use super::bytes::nibbles;
use super::superblock;

/// 256 weights in eight sub-blocks of 32, as in Q4_K, with a fifth bit: that of weight `l` of
/// sub-block `j` is bit `j` of `qh[l]`.
#[format(
    name = "Q5_K", ggml = 13, elems = 256, bytes = 176, run = 32,
    layout { d: f16, dmin: f16, scales: [u8; 12], qh: [u8; 32], qs: [u8; 128] },
)]
impl BlockFormat for Q5K {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let j = i / 32;
        let word = (i % 32) / 4;
        let high = (b.qh_u32(word) >> j) & 0x01010101;
        nibbles(b.qs_u32(8 * (j / 2) + word), j % 2) | (high << 4)
    }

    fn scale(b: Block<Self>, i: u32) -> f32 {
        b.d() * superblock::scale(b.scales_u32(0), b.scales_u32(2), i / 32) as f32
    }

    fn minimum(b: Block<Self>, i: u32) -> f32 {
        b.dmin() * superblock::minimum(b.scales_u32(1), b.scales_u32(2), i / 32) as f32
    }
}
