//! A crate that denies every warning, and kernels that are allowed what they do.
#![deny(warnings, unused, deprecated)]

use rlx_kernels::prelude::*;

/// On the kernel, above the attribute.
#[allow(uncoalesced_access)]
#[kernel(workgroup_size(64), threads(n))]
pub fn above(x: &[f32], y: &mut [f32], n: u32, k: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[i * k];
    }
}

/// On the kernel, below the attribute, with lints of rustc and clippy.
#[kernel(workgroup_size(64), threads(n))]
#[allow(unused_binding, unused_param, unused_variables, clippy::many_single_char_names)]
pub fn below(x: &[f32], y: &mut [f32], n: u32, k: u32) {
    let a = 1;
    y[global_index()] = 1.0;
}

/// On statements of each kind.
#[kernel(workgroup_size(64), threads(n))]
pub fn statements(x: &[f32], y: &mut [f32], n: u32, k: u32) {
    #[workgroup]
    let tile: [f32; 2048];
    let i = global_index();
    #[allow(uncoalesced_access)]
    let first = x[i * k];
    #[allow(bank_conflict)]
    tile[local_index() * 32] = first;
    #[allow(uncoalesced_access)]
    if i < n {
        y[i * 3] = first;
    }
    #[allow(uncoalesced_access)]
    for j in 0..2 {
        y[i * k + j] = first;
    }
    #[unroll]
    #[allow(uncoalesced_access)]
    for j in 0..2 {
        y[i * k + j] = first;
    }
    #[allow(unused_variables, unused_mut)]
    let mut unused = 1;
    #[allow(uncoalesced_access)]
    y[i * 5] += tile[0];
}

/// On a helper: what it does is allowed to all who call it.
#[allow(uncoalesced_access)]
#[device]
pub fn header(x: &[f32], at: u32) -> f32 {
    x[16 * at]
}

/// On a statement of a helper that rustc compiles too.
#[device]
pub fn footer(x: &[f32], at: u32) -> f32 {
    #[allow(uncoalesced_access, unused_variables)]
    let unused = 1;
    #[allow(uncoalesced_access)]
    let found = x[16 * at + 15];
    found
}

/// Calls them.
#[kernel(workgroup_size(64), threads(n))]
pub fn calls(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = header(x, i) + footer(x, i);
    }
}

/// Names that begin with `_`, and loops without a variable.
#[kernel(workgroup_size(64), threads(n))]
pub fn meant(_x: &[f32], y: &mut [f32], n: u32, _k: u32) {
    let _unused = 1;
    for _ in 0..2 {
        y[global_index()] += 1.0;
    }
}

fn main() {}
