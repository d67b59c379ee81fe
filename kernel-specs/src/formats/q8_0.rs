//! Q8_0: y = d · q

use rlx_kernels::prelude::*;

/// 32 weights of a signed byte each.
#[format(name = "Q8_0", ggml = 8, elems = 32, bytes = 34, run = 32, layout { d: f16, qs: [i8; 32] })]
impl BlockFormat for Q8_0 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        b.qs_u32(i / 4)
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }
}
