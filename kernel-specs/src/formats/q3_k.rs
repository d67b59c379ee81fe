//! Q3_K: y = d · scale · q

use rlx_kernels::prelude::*;

use super::bytes::less;

/// 256 weights of three bits, -4 to 3, in sixteen sub-blocks of 16 with 6-bit scales. Two bits of a
/// weight lie in `qs`, in the order of Q2_K; the third, which is a 1 where nothing is taken off, in
/// `hmask`, a bit for each run of 32.
#[format(
    name = "Q3_K", ggml = 11, elems = 256, bytes = 110, run = 16,
    layout { hmask: [u8; 32], qs: [u8; 64], scales: [u8; 12], d: f16 },
)]
impl BlockFormat for Q3K {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let word = (i % 32) / 4;
        let low = (b.qs_u32(8 * (i / 128) + word) >> (2 * ((i / 32) % 4))) & 0x03030303;
        let high = (b.hmask_u32(word) >> (i / 32)) & 0x01010101;
        less(low | (high << 2), 4)
    }

    /// The scales are -32 to 31: four bits in the first eight bytes, two in the last four.
    fn scale(b: Block<Self>, i: u32) -> f32 {
        let j = i / 16;
        let low = (b.scales(j % 8) >> (4 * (j / 8))) & 15;
        let high = (b.scales(8 + j % 4) >> (2 * (j / 4))) & 3;
        b.d() * ((low | (high << 4)) as f32 - 32.0)
    }
}
