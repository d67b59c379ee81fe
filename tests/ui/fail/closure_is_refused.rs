use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    let double = |v: f32| v * 2.0;
    y[i] = double(x[i]);
}

fn main() {}
