use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n), limits(invocations = 0.5, bindings = 0, workgroup_bytes = n))]
fn wrong(y: &mut [f32], n: u32) {
    y[global_index()] = 1.0;
}

fn main() {}
