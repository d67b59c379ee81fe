use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
#[requires(m % 4 == 0)]
fn wrong(y: &mut [u32], n: u32) {
    y[n] = 1;
}

fn main() {}
