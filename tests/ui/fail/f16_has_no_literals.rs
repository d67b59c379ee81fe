use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64))]
fn fill(y: &mut [f16]) {
    y[global_id().x] = 1.5f16;
}

fn main() {}
