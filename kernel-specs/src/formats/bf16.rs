//! BF16

use rlx_kernels::prelude::*;

/// The upper half of an f32.
#[format(name = "BF16", ggml = 30, elems = 1, bytes = 2, layout { bits: [u16] })]
impl BlockFormat for BF16 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        f32::from_bits(b.bits(i) << 16)
    }
}
