//! A crate that forbids `unsafe`, denies every warning and wants every item documented.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, missing_debug_implementations, unused, unused_qualifications)]
#![deny(rust_2018_idioms, unreachable_pub, nonstandard_style)]

use rlx_kernels::prelude::*;

/// x²
#[device]
fn square(x: f32) -> f32 {
    x * x
}

/// The first of `x`, which only kernels call.
#[device]
fn first(x: &[f32]) -> f32 {
    x[0]
}

/// A factor that only kernels read.
#[device]
const FACTOR: f32 = 0.25;

/// Eight bytes.
#[format(name = "Q", ggml = 99, elems = 8, bytes = 8, layout { qs: [u8; 8] })]
impl BlockFormat for Q {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.qs(i) as f32
    }
}

/// Params of all kinds, with padding between and after them.
#[kernel(workgroup_size(64), threads(n))]
fn padded(x: &[f32], y: &mut [f32], n: u32, at: Vec3<f32>, step: i32, size: Vec2<u32>) {
    let i = global_index();
    if i < n {
        y[i] = square(x[i]) * FACTOR + first(x) + at.x + step as f32 + size.y as f32;
    }
}

/// Without params or geometry.
#[kernel(workgroup_size(1))]
fn bare(y: &mut [f32]) {
    y[0] = 1.0;
}

/// For a format.
#[kernel(workgroup_size(64), groups(n), instances(F in [Q]))]
fn unpack<F: BlockFormat>(w: &[Packed<F>], y: &mut [f32], n: u32) {
    let i = workgroup_index();
    if i < n {
        y[i] = F::decode(w.block(i), local_index());
    }
}

fn main() {
    assert_eq!(padded::info().params_size, 48);
    assert_eq!(bare::info().params_size, 0);
    assert_eq!(unpack::instances().len(), 1);
}
