use rlx_kernels::prelude::*;

#[device]
fn low<const BITS: u32>(x: u32) -> u32 {
    x & ((1 << BITS) - 1)
}

#[kernel(workgroup_size(64), threads(n))]
fn lows<const BITS: u32 = 2>(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    y[i] = low::<BITS>(x[i]);
}

fn main() {}
