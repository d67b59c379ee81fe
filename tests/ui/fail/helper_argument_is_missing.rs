use rlx_kernels::prelude::*;

#[device]
fn scale(x: f32, factor: f32) -> f32 {
    x * factor
}

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = scale(x[i]);
}

fn main() {}
