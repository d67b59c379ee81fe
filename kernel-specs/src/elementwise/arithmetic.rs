//! Arithmetic.

use rlx_kernels::prelude::*;

/// a + b
#[device]
pub fn add(a: f32, b: f32) -> f32 {
    a + b
}

/// a · b
#[device]
pub fn mul(a: f32, b: f32) -> f32 {
    a * b
}
