//! Q4_K: y = d · scale · q − dmin · min

use rlx_kernels::prelude::*;

use super::bytes::nibbles;
use super::superblock;

/// 256 weights in eight sub-blocks of 32, with 6-bit scales and minima. Two sub-blocks share 32
/// bytes: low nibbles are the even one, high nibbles the odd one.
#[format(
    name = "Q4_K", ggml = 12, elems = 256, bytes = 144, run = 32,
    layout { d: f16, dmin: f16, scales: [u8; 12], qs: [u8; 128] },
)]
impl BlockFormat for Q4K {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let j = i / 32;
        nibbles(b.qs_u32(8 * (j / 2) + (i % 32) / 4), j % 2)
    }

    fn scale(b: Block<Self>, i: u32) -> f32 {
        b.d() * superblock::scale(b.scales_u32(0), b.scales_u32(2), i / 32) as f32
    }

    fn minimum(b: Block<Self>, i: u32) -> f32 {
        b.dmin() * superblock::minimum(b.scales_u32(1), b.scales_u32(2), i / 32) as f32
    }
}
