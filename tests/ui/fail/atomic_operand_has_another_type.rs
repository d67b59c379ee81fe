use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(counts: &mut [AtomicU32], x: &[f32], n: u32) {
    counts[n].fetch_add(x[n]);
}

fn main() {}
