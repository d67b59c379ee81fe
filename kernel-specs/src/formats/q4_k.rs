//! Q4_K: y = d · scale · q − dmin · min

use rlx_kernels::prelude::*;

use super::nibble::nibbles;

/// 256 weights in eight sub-blocks of 32, with 6-bit scales and minima. Two sub-blocks share 32
/// bytes: low nibbles are the even one, high nibbles the odd one.
#[format(name = "Q4_K", ggml = 12, elems = 256, bytes = 144, layout { d: f16, dmin: f16, scales: [u8; 12], qs: [u8; 128] })]
impl BlockFormat for Q4K {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let j = i / 32;
        let q = (b.qs(32 * (j / 2) + i % 32) >> (4 * (j % 2))) & 15;
        b.d() * Self::scale(b, j) as f32 * q as f32 - b.dmin() * Self::min(b, j) as f32
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let j = i / 32;
        let word = 8 * (j / 2) + (i % 32) / 4;
        let d = b.d() * Self::scale(b, j) as f32;
        let m = b.dmin() * Self::min(b, j) as f32;
        [
            nibbles(b.qs_u32(word), j % 2) * d - m,
            nibbles(b.qs_u32(word + 1), j % 2) * d - m,
        ]
    }

    /// The 6-bit scale of sub-block `j`: four whole, four split over two bytes.
    fn scale(b: Block<Self>, j: u32) -> u32 {
        if j < 4 {
            b.scales(j) & 63
        } else {
            (b.scales(j + 4) & 15) | ((b.scales(j - 4) >> 6) << 4)
        }
    }

    /// The 6-bit minimum of sub-block `j`.
    fn min(b: Block<Self>, j: u32) -> u32 {
        if j < 4 {
            b.scales(j + 4) & 63
        } else {
            (b.scales(j + 4) >> 4) | ((b.scales(j) >> 6) << 4)
        }
    }
}
