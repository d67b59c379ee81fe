//! Q8_K: y = d · q

use rlx_kernels::prelude::*;

/// 256 weights of eight bits. `bsums` holds the sums of runs of 16, which decoding has no use for.
#[format(name = "Q8_K", ggml = 15, elems = 256, bytes = 292, layout { d: f32, qs: [i8; 256], bsums: [i16; 16] })]
impl BlockFormat for Q8K {
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
