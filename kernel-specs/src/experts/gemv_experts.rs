//! A row of activations a slot times the weights of its expert: decoding a token.

use rlx_kernels::prelude::*;

use crate::formats::{self, F32};
use crate::matmul::dot::{dot8, run8};
use crate::matmul::gemv::ROWS;

/// y[s, n] = Σₖ x[s / per, k] · W[ids[s], n, k] for `rows` slots s; zeros where an id is no expert's. `W` has
/// `all` rows, those of its experts one after the other, expert `first` first; where that is not expert 0, slots
/// of others stay as they are. A workgroup takes two rows of an expert for a slot.
#[kernel(workgroup_size(64), groups(n.div_ceil(ROWS), rows), instances(F in formats::ALL))]
#[requires(k % F::ELEMS == 0, k < 1 << 31, n >= 1, n < 1 << 31, per >= 1, x_rows >= 1, all >= 1, all < 1 << 31, w.blocks() >= all * k / F::ELEMS, ids.len() >= rows, x.blocks() >= x_rows * k, y.len() >= rows * n)]
#[allow(clippy::too_many_arguments)]
pub fn gemv_experts<F: BlockFormat>(
    w: &[Packed<F>],
    ids: &[u32],
    x: &[Packed<F32>],
    y: &mut [f32],
    n: u32,
    k: u32,
    all: u32,
    rows: u32,
    x_rows: u32,
    per: u32,
    first: u32,
) {
    #[workgroup]
    let partial: [Vec2<f32>; 64];
    let slot = workgroup_id().y;
    let top = workgroup_id().x * ROWS;
    if slot >= rows || top >= n {
        return;
    }
    let me = local_index();
    let expert = ids[slot];
    let own = if expert < first { all } else { expert - first };
    let is_there = own < all / n;
    // The row past the last is read as that, and thrown away.
    let row = own.min(all / n) * n + top;
    let row_a = row.min(all - 1);
    let row_b = (row + 1).min(all - 1);
    let x_row = (slot / per).min(x_rows - 1);
    let mut sum = vec2(0.0, 0.0);
    for at in (me * 8..k).step_by(512) {
        if is_there {
            let v = if F::ELEMS % 8 == 0 {
                F32::decode8(x.block(x_row * k + at), 0)
            } else {
                run8(x, x_row * k, at, k)
            };
            sum.x += dot8(run8(w, row_a * (k / F::ELEMS), at, k), v);
            sum.y += dot8(run8(w, row_b * (k / F::ELEMS), at, k), v);
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
    if me < ROWS && top + me < n && (is_there || first == 0) {
        let sum = if me == 0 { partial[0].x } else { partial[0].y };
        y[slot * n + top + me] = sum;
    }
}
