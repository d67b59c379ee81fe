//! C = X · Wᵀ for several rows of activations.

use rlx_kernels::prelude::*;

use super::dot::run8;
use crate::formats;

/// Adds to the 4 × 8 sums of an invocation the products of 32 steps of k of its rows: `row + 8 i` of `xs`, 33 vectors
/// a quad of steps, with `col + 8 j` of `ws`, 64 vectors a quad.
#[device]
pub fn multiply(ws: &[Vec4<f32>], xs: &[Vec4<f32>], sums: &mut [Vec4<f32>; 8], row: u32, col: u32) {
    for quad in 0..8 {
        #[unroll]
        for i in 0..4 {
            let a = xs[33 * quad + 8 * i + row];
            #[unroll]
            for j in 0..8 {
                sums[2 * i + j / 4][j % 4] += dot(a, ws[64 * quad + 8 * j + col]);
            }
        }
    }
}

/// y[m, n] = Σₖ x[m, k] · W[n, k], any m, n and k. A workgroup makes a tile of 32 × 64: 32 steps of
/// k at a time are decoded once into workgroup memory, an invocation keeps 4 × 8 sums.
#[kernel(workgroup_size(64), groups(n.div_ceil(64), m.div_ceil(32)), instances(F in formats::ALL))]
#[requires(k % F::ELEMS == 0, k < 1 << 31, w.blocks() >= n * k / F::ELEMS, x.len() >= m * k, y.len() >= m * n)]
pub fn matmul_bt<F: BlockFormat>(
    w: &[Packed<F>],
    x: &[f32],
    y: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
) {
    // Four steps of k a vector; neighbouring invocations read neighbouring vectors. Rows of `xs` are one
    // vector longer, so that those who write a column of it use different banks.
    #[workgroup]
    let ws: [Vec4<f32>; 8 * 64];
    #[workgroup]
    let xs: [Vec4<f32>; 8 * 33];
    let me = local_index();
    let col = me % 8;
    let row = me / 8;
    let first_n = workgroup_id().x * 64;
    let first_m = workgroup_id().y * 32;
    let mut sums = [Vec4::splat(0.0); 8];
    for base in (0..k).step_by(32) {
        // An invocation decodes 32 weights of one row.
        let w_row = first_n + me;
        #[unroll]
        for run in 0..4 {
            let at = base + 8 * run;
            let mut v = [Vec4::splat(0.0); 2];
            if w_row < n && at < k {
                v = run8(w, w_row * (k / F::ELEMS), at, k);
            }
            ws[128 * run + me] = v[0];
            ws[128 * run + 64 + me] = v[1];
        }
        // And fetches four activations of each of four rows.
        let at = base + 4 * col;
        #[unroll]
        for part in 0..4 {
            let x_row = first_m + 8 * part + row;
            let mut v = Vec4::splat(0.0);
            if x_row < m {
                #[unroll]
                for i in 0..4 {
                    if at + i < k {
                        v[i] = x[x_row * k + at + i];
                    }
                }
            }
            xs[33 * col + 8 * part + row] = v;
        }
        workgroup_barrier();
        multiply(&ws, &xs, &mut sums, row, col);
        workgroup_barrier();
    }
    #[unroll]
    for i in 0..4 {
        let out = first_m + 8 * i + row;
        if out < m {
            #[unroll]
            for j in 0..8 {
                let at = first_n + 8 * j + col;
                if at < n {
                    y[out * n + at] = sums[2 * i + j / 4][j % 4];
                }
            }
        }
    }
}
