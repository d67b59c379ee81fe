//! Warnings are errors here so that they are seen.
#![deny(deprecated)]

use rlx_kernels::prelude::*;

/// A header of sixteen words.
#[device]
fn header(x: &[u32], at: u32) -> u32 {
    x[16 * at]
}

/// y[i] = header i
#[kernel(workgroup_size(64), threads(n))]
pub fn headers(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = header(x, i);
    }
}

fn main() {}
