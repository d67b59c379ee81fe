use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    let a = [x[i], 0.0];
    y[i] = a[-1] + a[1 + 1];
}

fn main() {}
