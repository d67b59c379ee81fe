use rlx_kernels::prelude::*;

#[format(name = "Q", ggml = 99, elems = 8, bytes = 8, layout { qs: [u8; 8] })]
impl BlockFormat for Q {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.qs(i) as f32
    }
}

#[kernel(workgroup_size(64), threads(n))]
fn wrong(w: &[Packed<Q>], y: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = w[i];
}

fn main() {}
