use rlx_kernels::prelude::*;

fn double(x: f32) -> f32 {
    x * 2.0
}

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = double(x[i]);
}

fn main() {}
