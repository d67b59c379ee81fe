//! C = X · Wᵀ for several rows of activations.

use rlx_kernels::prelude::*;

use crate::formats;

/// y[m, n] = Σₖ x[m, k] · W[n, k], any m, n and k. A workgroup makes a tile of 32 × 64: 32 steps of
/// k at a time are decoded once into workgroup memory, an invocation keeps 2 × 4 sums.
#[kernel(workgroup_size(256), groups(n.div_ceil(64), m.div_ceil(32)), instances(F in formats::ALL))]
pub fn matmul_bt<F: BlockFormat>(
    w: &[Packed<F>],
    x: &[f32],
    y: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
) {
    // Rows are padded by one, so that the transposed stores fall into different banks.
    #[workgroup]
    let ws: [f32; 32 * 65];
    #[workgroup]
    let xs: [f32; 32 * 33];
    let me = local_index();
    let first_n = workgroup_id().x * 64;
    let first_m = workgroup_id().y * 32;

    let w_row = me / 4;
    let w_at = (me % 4) * 8;
    let x_row = me / 8;
    let x_at = (me % 8) * 4;
    let col = me % 16;
    let row = me / 16;
    let mut sums = [0.0; 8];
    for base in (0..k).step_by(32) {
        for i in 0..4 {
            let at = base + x_at + i;
            let mut v = 0.0;
            if first_m + x_row < m && at < k {
                v = x[(first_m + x_row) * k + at];
            }
            xs[(x_at + i) * 33 + x_row] = v;
        }
        let at = base + w_at;
        if first_n + w_row < n && at < k {
            let first = (first_n + w_row) * (k / F::ELEMS);
            if F::ELEMS % 8 == 0 || at + 8 <= k {
                let v = F::decode8(w.block(first + at / F::ELEMS), at % F::ELEMS);
                #[unroll]
                for i in 0..8 {
                    ws[(w_at + i) * 65 + w_row] = v[i / 4][i % 4];
                }
            } else {
                for i in 0..8 {
                    let mut v = 0.0;
                    if at + i < k {
                        v = F::decode(w.block(first + at + i), 0);
                    }
                    ws[(w_at + i) * 65 + w_row] = v;
                }
            }
        } else {
            #[unroll]
            for i in 0..8 {
                ws[(w_at + i) * 65 + w_row] = 0.0;
            }
        }
        workgroup_barrier();
        for step in 0..32 {
            let x0 = xs[step * 33 + row];
            let x1 = xs[step * 33 + row + 16];
            #[unroll]
            for i in 0..4 {
                let v = ws[step * 65 + col + 16 * i];
                sums[i] += x0 * v;
                sums[4 + i] += x1 * v;
            }
        }
        workgroup_barrier();
    }
    #[unroll]
    for i in 0..4 {
        let at = first_n + col + 16 * i;
        if at < n {
            if first_m + row < m {
                y[(first_m + row) * n + at] = sums[i];
            }
            if first_m + row + 16 < m {
                y[(first_m + row + 16) * n + at] = sums[4 + i];
            }
        }
    }
}
