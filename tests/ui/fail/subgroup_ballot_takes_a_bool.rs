use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[u32], y: &mut [u32], n: u32) {
    y[global_index()] = subgroup_ballot(x[n]).x;
}

fn main() {}
