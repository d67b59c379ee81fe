use rlx_kernels::prelude::*;

#[device]
fn store(out: &mut [f32], i: u32, v: f32) {
    out[i] = v;
}

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    store(x, i, 1.0);
    y[i] = x[i];
}

fn main() {}
