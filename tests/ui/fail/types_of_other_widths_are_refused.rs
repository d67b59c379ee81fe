use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64))]
fn wrong(y: &mut [f32], n: usize) {
    let i: u8 = 0;
    let half = 0.5f64;
    y[i] = half;
}

fn main() {}
