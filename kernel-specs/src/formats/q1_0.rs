//! Q1_0: y = ±d

use rlx_kernels::prelude::*;

/// 128 signs: a 1 is plus.
#[format(name = "Q1_0", ggml = 41, elems = 128, bytes = 18, layout { d: f16, bits: [u8; 16] })]
impl BlockFormat for Q1_0 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let d = b.d();
        if (b.bits(i / 8) >> (i % 8)) & 1 == 1 {
            d
        } else {
            -d
        }
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let bits = b.bits(i / 8);
        let d = b.d();
        [Self::signs(bits) * d, Self::signs(bits >> 4) * d]
    }

    /// 1 and -1 for the four lowest bits.
    fn signs(bits: u32) -> Vec4<f32> {
        let ones = vec4(bits & 1, (bits >> 1) & 1, (bits >> 2) & 1, (bits >> 3) & 1);
        to_f32(ones) * 2.0 - 1.0
    }
}
