//! Runs of eight.

use rlx_kernels::prelude::*;

/// Σᵢ aᵢ · bᵢ
#[device]
pub fn dot8(a: [Vec4<f32>; 2], b: [Vec4<f32>; 2]) -> f32 {
    dot(a[0], b[0]) + dot(a[1], b[1])
}

/// Weights `at .. at + 8` of the row of `k` that begins at block `first`; zeros past its end.
#[device]
pub fn run8<F: BlockFormat>(w: &[Packed<F>], first: u32, at: u32, k: u32) -> [Vec4<f32>; 2] {
    if F::ELEMS % 8 == 0 || at + 8 <= k {
        F::decode8(w.block(first + at / F::ELEMS), at % F::ELEMS)
    } else {
        let mut v = [Vec4::splat(0.0); 2];
        #[unroll]
        for i in 0..8 {
            if at + i < k {
                v[i / 4][i % 4] = F::decode(w.block(first + at + i), 0);
            }
        }
        v
    }
}
