use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(counts: &[AtomicU32], y: &mut [u32], n: u32) {
    y[n] = counts[0].load();
}

fn main() {}
