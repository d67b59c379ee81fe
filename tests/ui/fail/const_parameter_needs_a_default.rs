use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn sums<const ROWS: u32>(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    y[i] = x[i] * ROWS;
}

fn main() {}
