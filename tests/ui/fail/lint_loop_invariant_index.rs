//! Warnings are errors here so that they are seen.
#![deny(deprecated)]

use rlx_kernels::prelude::*;

/// Spreads x[i] over its row.
#[kernel(workgroup_size(64), threads(n))]
pub fn spread(x: &[f32], y: &mut [f32], n: u32, w: u32) {
    let i = global_index();
    if i < n {
        for j in 0..w {
            y[i / w * w + j] = x[i];
        }
    }
}

fn main() {}
