use rlx_kernels::prelude::*;

#[device]
fn first(n: u32) -> u32 {
    if n == 0 { 0 } else { second(n - 1) }
}

#[device]
fn second(n: u32) -> u32 {
    third(n) + 1
}

#[device]
fn third(n: u32) -> u32 {
    first(n / 2)
}

#[kernel(workgroup_size(64), threads(n))]
fn all(y: &mut [u32], n: u32) {
    y[global_index()] = second(n);
}

fn main() {}
