//! rustc does not see the body of a kernel, and is told what is in it.
#![deny(unused)]

use rlx_kernels::prelude::*;

/// y[i] = 1
#[kernel(workgroup_size(64), threads(n))]
pub fn ones(y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let i = global_index();
    let twice = 2 * i;
    let mut last = 0;
    let mut one = 1.0;
    last = i;
    if i >= n {
        return;
        y[i] = 0.0;
    }
    for step in 0..1 {
        y[i] = one;
    }
}

/// A helper that rustc cannot compile.
#[device]
pub fn one(y: &mut [f32]) {
    let unused = 1;
    y[local_index()] = 1.0;
}

fn main() {}
