use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(y: &mut [u32], z: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = (i + 3).rem_euclid(n);
    z[i] = (i as f32).rem_euclid(2.0);
}

fn main() {}
