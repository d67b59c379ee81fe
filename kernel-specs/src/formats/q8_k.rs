//! Q8_K: y = d · q

use rlx_kernels::prelude::*;

/// 256 weights of eight bits. `bsums` holds the sums of runs of 16, which decoding has no use for.
#[format(name = "Q8_K", ggml = 15, elems = 256, bytes = 292, run = 32, layout { d: f32, qs: [i8; 256], bsums: [i16; 16] })]
impl BlockFormat for Q8K {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        b.qs_u32(i / 4)
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }
}
