use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(counts: &mut [u32], n: u32) {
    counts[n].fetch_add(1);
}

fn main() {}
