use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n), instances(ROWS in [4, 2]))]
fn sums<const ROWS: u32>(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    let rows = [x[i]; ROWS as usize];
    y[i] = rows[2];
}

fn main() {}
