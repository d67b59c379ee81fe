use rlx_kernels::prelude::*;

#[kernel(workgroup_size(1, 1, 128), threads(n))]
fn wrong(y: &mut [f32], n: u32) {
    y[local_index() + n] = 1.0;
}

fn main() {}
