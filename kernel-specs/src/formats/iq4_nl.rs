//! IQ4_NL: y = d · value(q)

use rlx_kernels::prelude::*;

use super::nibble::look_up;

/// What the sixteen quants stand for, spaced more closely around zero.
#[device]
pub(crate) fn value(q: u32) -> f32 {
    look_up(q, 0xbfad9881, 0xf6eaddcf, 0x26190d01, 0x71594535) as f32
}

/// Those of the four bytes of `word`, each at most 15.
#[device]
pub(crate) fn values(word: u32) -> Vec4<f32> {
    let q = unpack4x_u8(word);
    vec4(value(q.x), value(q.y), value(q.z), value(q.w))
}

/// 32 weights: low nibbles are the first 16, high nibbles the last 16.
#[format(name = "IQ4_NL", ggml = 20, elems = 32, bytes = 18, layout { d: f16, qs: [u8; 16] })]
impl BlockFormat for IQ4NL {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.d() * value((b.qs(i % 16) >> (4 * (i / 16))) & 15)
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let word = (i % 16) / 4;
        let shift = 4 * (i / 16);
        let d = b.d();
        [
            values((b.qs_u32(word) >> shift) & 0x0f0f0f0f) * d,
            values((b.qs_u32(word + 1) >> shift) & 0x0f0f0f0f) * d,
        ]
    }
}
