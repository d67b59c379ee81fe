use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n), instances(ROWS in [1, true]))]
fn sums<const ROWS: u32>(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    y[i] = x[i] * ROWS;
}

#[kernel(workgroup_size(64), threads(n), instances(T in [f32, 2]))]
fn products<T: Float>(x: &[T], y: &mut [T], n: u32) {
    let i = global_index();
    y[i] = x[i] * x[i];
}

fn main() {}
