use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn sums<const ROWS: u32 = 2>(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    let mut sum = 0.0;
    #[unroll]
    for r in 0..ROWS {
        sum += x[i + r];
    }
    y[i] = sum;
}

fn main() {}
