//! Q3_K: y = d · scale · q

use rlx_kernels::prelude::*;

/// 256 weights of three bits, -4 to 3, in sixteen sub-blocks of 16 with 6-bit scales. Two bits of a
/// weight lie in `qs`, in the order of Q2_K; the third, which is a 1 where nothing is taken off, in
/// `hmask`, a bit for each run of 32.
#[format(name = "Q3_K", ggml = 11, elems = 256, bytes = 110, layout { hmask: [u8; 32], qs: [u8; 64], scales: [u8; 12], d: f16 })]
impl BlockFormat for Q3K {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let low = (b.qs(32 * (i / 128) + i % 32) >> (2 * ((i / 32) % 4))) & 3;
        let high = (b.hmask(i % 32) >> (i / 32)) & 1;
        b.d() * Self::scale(b, i / 16) * ((low | (high << 2)) as f32 - 4.0)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let d = b.d() * Self::scale(b, i / 16);
        [
            (to_f32(unpack4x_u8(Self::quants(b, i))) - 4.0) * d,
            (to_f32(unpack4x_u8(Self::quants(b, i + 4))) - 4.0) * d,
        ]
    }

    /// The scale of sub-block `j`, -32 to 31: four bits in the first eight bytes, two in the last four.
    fn scale(b: Block<Self>, j: u32) -> f32 {
        let low = (b.scales(j % 8) >> (4 * (j / 8))) & 15;
        let high = (b.scales(8 + j % 4) >> (2 * (j / 4))) & 3;
        (low | (high << 4)) as f32 - 32.0
    }

    /// The quants `i .. i + 4` and 4, a byte each.
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let word = (i % 32) / 4;
        let low = (b.qs_u32(8 * (i / 128) + word) >> (2 * ((i / 32) % 4))) & 0x03030303;
        let high = (b.hmask_u32(word) >> (i / 32)) & 0x01010101;
        low | (high << 2)
    }
}
