//! Matrix times vector: one row of activations, as in decoding a token.

use rlx_kernels::prelude::*;

use super::dot::dot_run;
use crate::formats;

/// y[n] = Σₖ x[k] · W[n, k]. A workgroup takes a row, an invocation eight weights a step; the sums
/// meet in workgroup memory, so the kernel runs on every device.
#[kernel(workgroup_size(64), groups(n), instances(F in formats::ALL))]
#[requires(k % F::ELEMS == 0, w.blocks() >= n * k / F::ELEMS, x.len() >= k, y.len() >= n)]
pub fn gemv<F: BlockFormat>(w: &[Packed<F>], x: &[f32], y: &mut [f32], n: u32, k: u32) {
    #[workgroup]
    let partial: [f32; 64];
    let row = workgroup_index();
    let me = local_index();
    let mut sum = 0.0;
    if row < n {
        let first = row * (k / F::ELEMS);
        for at in (me * 8..k).step_by(512) {
            sum += dot_run(w, x, first, at, k);
        }
    }
    partial[me] = sum;
    workgroup_barrier();
    #[unroll]
    for step in 0..6 {
        if me < 32 >> step {
            partial[me] += partial[me + (32 >> step)];
        }
        workgroup_barrier();
    }
    if me == 0 && row < n {
        y[row] = partial[0];
    }
}

/// y[n] = Σₖ x[k] · W[n, k]. A subgroup of any size takes a row; needs subgroup operations.
#[kernel(workgroup_size(128), groups(n.div_ceil(8)), instances(F in formats::ALL))]
#[requires(k % F::ELEMS == 0, w.blocks() >= n * k / F::ELEMS, x.len() >= k, y.len() >= n)]
pub fn gemv_subgroup<F: BlockFormat>(w: &[Packed<F>], x: &[f32], y: &mut [f32], n: u32, k: u32) {
    let first_row = workgroup_index() * 8;
    // Eight rows a workgroup, whatever the number of subgroups it falls into. All subgroups go
    // through the loop together, so that the sums are taken in uniform control flow.
    for base in (0..8).step_by(num_subgroups()) {
        let row = first_row + base + subgroup_id();
        let mine = base + subgroup_id() < 8 && row < n;
        let mut sum = 0.0;
        if mine {
            let first = row * (k / F::ELEMS);
            for at in (subgroup_lane() * 8..k).step_by(subgroup_size() * 8) {
                sum += dot_run(w, x, first, at, k);
            }
        }
        let total = subgroup_add(sum);
        if mine && subgroup_lane() == 0 {
            y[row] = total;
        }
    }
}
