//! F32

use rlx_kernels::prelude::*;

/// One f32.
#[format(name = "F32", ggml = 0, elems = 1, bytes = 4, layout { value: [f32] })]
impl BlockFormat for F32 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.value(i)
    }
}
