use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n), instances(ROWS in [1, 2], COLS in [1]))]
fn sums<const ROWS: u32>(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    y[i] = x[i] * ROWS;
}

fn main() {}
