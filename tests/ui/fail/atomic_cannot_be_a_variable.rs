use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(counts: &mut [AtomicU32], n: u32) {
    let count = counts[n];
    count.fetch_add(1);
}

fn main() {}
