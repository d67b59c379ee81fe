use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n), limits(workgroup_byte = 32768, max_compute_invocations_per_workgroup = 512))]
fn wrong(y: &mut [f32], n: u32) {
    y[global_index()] = 1;
}

fn main() {}
