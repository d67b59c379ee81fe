//! Q6_K: y = d · scale · (q − 32)

use rlx_kernels::prelude::*;

/// 256 weights in sixteen sub-blocks of 16, with 8-bit scales. Of the 6 bits of a weight four lie
/// in `ql`, two in `qh`; each half of the block has 64 bytes of the one and 32 of the other.
#[format(name = "Q6_K", ggml = 14, elems = 256, bytes = 210, layout { ql: [u8; 128], qh: [u8; 64], scales: [i8; 16], d: f16 })]
impl BlockFormat for Q6K {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let half = i / 128;
        let group = (i / 32) % 4;
        let l = i % 32;
        let low = (b.ql(64 * half + 32 * (group % 2) + l) >> (4 * (group / 2))) & 15;
        let high = (b.qh(32 * half + l) >> (2 * group)) & 3;
        b.d() * b.scales(i / 16) as f32 * ((low | (high << 4)) as f32 - 32.0)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let d = b.d() * b.scales(i / 16) as f32;
        [
            (to_f32(unpack4x_u8(Self::quants(b, i))) - 32.0) * d,
            (to_f32(unpack4x_u8(Self::quants(b, i + 4))) - 32.0) * d,
        ]
    }

    /// The 6-bit quants `i .. i + 4`, a byte each.
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let half = i / 128;
        let group = (i / 32) % 4;
        let word = (i % 32) / 4;
        let low = (b.ql_u32(16 * half + 8 * (group % 2) + word) >> (4 * (group / 2))) & 0x0f0f0f0f;
        let high = (b.qh_u32(8 * half + word) >> (2 * group)) & 0x03030303;
        low | (high << 4)
    }
}
