use rlx_kernels::prelude::*;

#[device]
#[device]
fn half(x: f32) -> f32 {
    x * 0.5
}

#[kernel(workgroup_size(64), threads(n))]
fn halves(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = half(x[i]);
    }
}

fn main() {}
