use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    let mut sum = 0.0;
    #[unroll]
    for j in 0..n {
        sum += x[i + j];
    }
    y[i] = sum;
}

fn main() {}
