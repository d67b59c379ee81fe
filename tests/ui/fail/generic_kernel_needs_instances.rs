use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong<F: BlockFormat>(w: &[Packed<F>], y: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = F::decode(w.block(i), 0);
}

fn main() {}
