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

/// Σ x[i] · W[row, i] for `i` in `at .. at + 8`, up to `k`. The row begins at block `first`.
#[device]
pub fn dot_run<F: BlockFormat>(w: &[Packed<F>], x: &[f32], first: u32, at: u32, k: u32) -> f32 {
    if F::ELEMS % 8 == 0 || at + 8 <= k {
        dot8(
            F::decode8(w.block(first + at / F::ELEMS), at % F::ELEMS),
            load8(x, at),
        )
    } else {
        let mut sum = 0.0;
        for i in at..k {
            sum += F::decode(w.block(first + i), 0) * x[i];
        }
        sum
    }
}
