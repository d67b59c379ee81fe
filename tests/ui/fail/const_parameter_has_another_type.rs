use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn sums<const ROWS: usize = 2>(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    y[i] = x[i];
}

#[kernel(workgroup_size(64), threads(n))]
fn products<const BY: u32 = -1>(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    y[i] = x[i] * BY;
}

fn main() {}
