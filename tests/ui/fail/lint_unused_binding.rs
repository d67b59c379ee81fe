//! Warnings are errors here so that they are seen.
#![deny(deprecated)]

use rlx_kernels::prelude::*;

/// y[i] = 2 · x[i]
#[kernel(workgroup_size(64), threads(n))]
pub fn double(x: &[f32], scale: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = 2.0 * x[i];
    }
}

fn main() {}
