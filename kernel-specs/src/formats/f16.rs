//! F16

use rlx_kernels::prelude::*;

/// One IEEE half.
#[format(name = "F16", ggml = 1, elems = 1, bytes = 2, layout { value: [f16] })]
impl BlockFormat for F16 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.value(i)
    }
}
