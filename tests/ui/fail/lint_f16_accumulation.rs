//! Warnings are errors here so that they are seen.
#![deny(deprecated)]

use rlx_kernels::prelude::*;

/// y[i] = Σ x[j, i]
#[kernel(workgroup_size(64), threads(n))]
pub fn sums(x: &[f16], y: &mut [f16], n: u32, k: u32) {
    let i = global_index();
    let mut sum = f16::ZERO;
    for j in 0..k {
        sum += x[j * n + i];
    }
    y[i] = sum;
}

fn main() {}
