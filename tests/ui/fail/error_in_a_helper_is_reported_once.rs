use rlx_kernels::prelude::*;

#[device]
fn half(x: f32) -> f32 {
    (x / 2.0).signum()
}

#[kernel(workgroup_size(64), threads(n))]
fn right(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = half(x[i]);
}

fn main() {}
