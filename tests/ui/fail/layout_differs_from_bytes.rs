use rlx_kernels::prelude::*;

#[format(name = "Q", ggml = 99, elems = 32, bytes = 36, layout { d: f16, qs: [u8; 32] })]
impl BlockFormat for Q {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.d() * b.qs(i) as f32
    }
}

fn main() {}
