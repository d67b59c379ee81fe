//! Matrix times one to eight vectors, as in decoding a token.

use rlx_kernels::prelude::*;

use super::dot::{dot8, run8};
use crate::formats::{self, F16, F32};

/// Rows of the weight that a workgroup takes.
#[device]
pub const ROWS: u32 = 2;

/// The most rows of activations.
pub const MOST: u32 = 8;

/// The most subgroups in a workgroup of 64: of four invocations.
#[device]
pub const GROUPS: u32 = 16;

/// The products of two rows of the weight, `top` and the next, with `m` rows of x, as far as they are the
/// share of an invocation that takes eight weights in `step`, from `at` on: of row `top + r` and row `i` of x
/// in place 8 r + i.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn share<F: BlockFormat, X: BlockFormat>(
    w: &[Packed<F>],
    x: &[Packed<X>],
    top: u32,
    m: u32,
    n: u32,
    k: u32,
    first: u32,
    step: u32,
) -> [f32; 16] {
    let mut sums = [0.0; 16];
    for at in (first..k).step_by(step) {
        let a = run8(w, top * (k / F::ELEMS), at, k);
        // The last row once more, where there is no other.
        let b = run8(w, (top + 1).min(n - 1) * (k / F::ELEMS), at, k);
        for i in 0..m {
            let v = if F::ELEMS % 8 == 0 {
                X::decode8(x.block(i * k + at), 0)
            } else {
                run8(x, i * k, at, k)
            };
            sums[i] += dot8(a, v);
            sums[8 + i] += dot8(b, v);
        }
    }
    sums
}

/// y[m, n] = Σₖ x[m, k] · W[n, k] for `M` rows of x, in f32 or f16. A workgroup takes two rows of W; its
/// sums meet in workgroup memory, so the kernel runs on every device.
#[kernel(workgroup_size(64), groups(n.div_ceil(ROWS)), instances(F in formats::ALL, X in [F32, F16]))]
#[requires(k % F::ELEMS == 0, w.blocks() >= n * k / F::ELEMS, x.blocks() >= M * k, y.len() >= M * n, M >= 1, M <= 8, k < 1 << 31)]
pub fn gemv<F: BlockFormat, X: BlockFormat, const M: u32 = 1>(
    w: &[Packed<F>],
    x: &[Packed<X>],
    y: &mut [f32],
    n: u32,
    k: u32,
) {
    #[workgroup]
    let partial: [f32; 64 * 16];
    #[workgroup]
    let eighths: [f32; 8 * 20];
    let top = workgroup_index() * ROWS;
    if top >= n {
        return;
    }
    let me = local_index();
    let sums = share(w, x, top, M, n, k, me * 8, 512);
    for i in 0..M {
        partial[i * 64 + me] = sums[i];
        partial[(8 + i) * 64 + me] = sums[8 + i];
    }
    workgroup_barrier();
    // An eighth of a sum an invocation, then a sum.
    for r in 0..ROWS {
        for item in (me..M * 8).step_by(64) {
            let of = r * 8 + item / 8;
            let mut sum = 0.0;
            for i in 0..8 {
                sum += partial[of * 64 + i * 8 + item % 8];
            }
            eighths[item % 8 * 20 + of] = sum;
        }
    }
    workgroup_barrier();
    let r = me / 8;
    let i = me % 8;
    if r < ROWS && i < M && top + r < n {
        let mut sum = 0.0;
        for part in 0..8 {
            sum += eighths[part * 20 + me];
        }
        #[allow(uncoalesced_access)]
        {
            y[i * n + top + r] = sum;
        }
    }
}

/// y[m, n] = Σₖ x[m, k] · W[n, k] for `M` rows of x, in f32 or f16. A workgroup of `WIDE` takes two rows of
/// W, whatever the number of subgroups it falls into: each adds its own sums without workgroup memory.
#[kernel(workgroup_size(WIDE), groups(n.div_ceil(ROWS)), instances(F in formats::ALL, X in [F32, F16]))]
#[requires(k % F::ELEMS == 0, w.blocks() >= n * k / F::ELEMS, x.blocks() >= M * k, y.len() >= M * n, M >= 1, M <= 8, WIDE <= 64, k < 1 << 31)]
pub fn gemv_subgroup<F: BlockFormat, X: BlockFormat, const M: u32 = 1, const WIDE: u32 = 64>(
    w: &[Packed<F>],
    x: &[Packed<X>],
    y: &mut [f32],
    n: u32,
    k: u32,
) {
    #[workgroup]
    let partial: [f32; GROUPS * 16];
    let top = workgroup_index() * ROWS;
    if top >= n {
        return;
    }
    let me = local_index();
    let sums = share(w, x, top, M, n, k, me * 8, WIDE * 8);
    for i in 0..M {
        let a = subgroup_add(sums[i]);
        let b = subgroup_add(sums[8 + i]);
        if subgroup_elect() && subgroup_id() < GROUPS {
            partial[subgroup_id() * 16 + i] = a;
            partial[subgroup_id() * 16 + 8 + i] = b;
        }
    }
    workgroup_barrier();
    let r = me / 8;
    let i = me % 8;
    if r < ROWS && i < M && top + r < n {
        let mut sum = 0.0;
        for group in 0..num_subgroups().min(GROUPS) {
            sum += partial[group * 16 + me];
        }
        #[allow(uncoalesced_access)]
        {
            y[i * n + top + r] = sum;
        }
    }
}
