//! Q2_0: y = d · (q − 1)

use rlx_kernels::prelude::*;

/// 64 weights of two bits, four to a byte.
#[format(name = "Q2_0", ggml = 42, elems = 64, bytes = 18, layout { d: f16, qs: [u8; 16] })]
impl BlockFormat for Q2_0 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let q = (b.qs(i / 4) >> (2 * (i % 4))) & 3;
        (q as f32 - 1.0) * b.d()
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let d = b.d();
        [
            Self::quants(b.qs(i / 4)) * d,
            Self::quants(b.qs(i / 4 + 1)) * d,
        ]
    }

    /// The four weights of a byte, of a scale of one.
    fn quants(byte: u32) -> Vec4<f32> {
        let q = vec4(byte & 3, (byte >> 2) & 3, (byte >> 4) & 3, (byte >> 6) & 3);
        to_f32(q) - 1.0
    }
}
