use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn sums<const ROWS: u32 = 2>(x: &[f32], y: &mut [f32], n: u32) {
    let mut sums = [0.0; ROWS as usize];
    let i = global_index();
    sums[0] += x[i];
    y[i] = sums[0];
}

fn main() {}
