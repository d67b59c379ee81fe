use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(counts: &mut [AtomicU32], n: u32) {
    counts[0] = n;
}

fn main() {}
