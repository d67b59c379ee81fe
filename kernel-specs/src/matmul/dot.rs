//! Runs of eight.

use rlx_kernels::prelude::*;

/// `x[at .. at + 8]`
#[device]
pub fn load8(x: &[f32], at: u32) -> [Vec4<f32>; 2] {
    [
        vec4(x[at], x[at + 1], x[at + 2], x[at + 3]),
        vec4(x[at + 4], x[at + 5], x[at + 6], x[at + 7]),
    ]
}

/// Σᵢ aᵢ · bᵢ
#[device]
pub fn dot8(a: [Vec4<f32>; 2], b: [Vec4<f32>; 2]) -> f32 {
    dot(a[0], b[0]) + dot(a[1], b[1])
}
