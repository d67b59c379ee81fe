//! Q6_K: y = d · scale · (q − 32)

use rlx_kernels::prelude::*;

use super::bytes::{less, nibbles};

/// 256 weights in sixteen sub-blocks of 16, with 8-bit scales. Of the 6 bits of a weight four lie
/// in `ql`, two in `qh`; each half of the block has 64 bytes of the one and 32 of the other.
#[format(
    name = "Q6_K", ggml = 14, elems = 256, bytes = 210, run = 16,
    layout { ql: [u8; 128], qh: [u8; 64], scales: [i8; 16], d: f16 },
)]
impl BlockFormat for Q6K {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        let half = i / 128;
        let group = (i / 32) % 4;
        let word = (i % 32) / 4;
        let low = nibbles(b.ql_u32(16 * half + 8 * (group % 2) + word), group / 2);
        let high = (b.qh_u32(8 * half + word) >> (2 * group)) & 0x03030303;
        less(low | (high << 4), 32)
    }

    fn scale(b: Block<Self>, i: u32) -> f32 {
        b.d() * b.scales(i / 16) as f32
    }
}
