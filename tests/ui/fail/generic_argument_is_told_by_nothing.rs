use rlx_kernels::prelude::*;

#[device]
fn ones<const N: u32>(x: u32) -> u32 {
    x & ((1 << N) - 1)
}

#[kernel(workgroup_size(64), threads(n))]
fn low_bits(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = ones(x[i]) + ones::<4>(x[i]);
    }
}

fn main() {}
