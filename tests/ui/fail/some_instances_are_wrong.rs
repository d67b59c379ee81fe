use rlx_kernels::prelude::*;

/// The sum of the first `TAKEN` of four numbers.
#[kernel(workgroup_size(64), threads(n), instances(TAKEN in [2, 4, 5]))]
#[requires(x.len() >= 4, y.len() >= n)]
fn sum<const TAKEN: u32>(x: &[f32], y: &mut [f32], n: u32) {
    let first = [x[0], x[1], x[2], x[3]];
    let mut sum = 0.0;
    #[unroll]
    for i in 0..TAKEN {
        sum += first[i];
    }
    let i = global_index();
    if i < n {
        y[i] = sum + first[TAKEN] + first[4];
    }
}

fn main() {}
