use rlx_kernels::prelude::*;

#[device]
fn scaled(x: f32, by: u32) -> f32 {
    let half = x * 1;
    half * by
}

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = scaled(x[i], 2) + true;
    x[i] = scaled(x[i], 1.0);
}

fn main() {}
