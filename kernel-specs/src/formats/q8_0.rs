//! Q8_0: y = d · q

use rlx_kernels::prelude::*;

/// 32 weights of a signed byte each.
#[format(name = "Q8_0", ggml = 8, elems = 32, bytes = 34, layout { d: f16, qs: [i8; 32] })]
impl BlockFormat for Q8_0 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.d() * b.qs(i) as f32
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let d = b.d();
        [
            to_f32(unpack4x_i8(b.qs_u32(i / 4))) * d,
            to_f32(unpack4x_i8(b.qs_u32(i / 4 + 1))) * d,
        ]
    }
}
