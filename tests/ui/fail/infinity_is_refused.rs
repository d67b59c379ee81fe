use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    let mut best = f32::NEG_INFINITY;
    best = best.max(x[i]);
    y[i] = best;
}

fn main() {}
