use rlx_kernels::prelude::*;

#[format(name = "Q", ggml = 99, elems = 32, bytes = 34, layout { d: f16, qs: [u8; 32] })]
impl BlockFormat for Q {
    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        [Vec4::splat(b.d()), Vec4::splat(b.d())]
    }
}

fn main() {}
