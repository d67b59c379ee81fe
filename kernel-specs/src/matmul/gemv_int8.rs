//! Matrix times one to eight vectors of bytes: decoding a token with weights of integers.

use rlx_kernels::prelude::*;

use crate::formats;
use crate::quant::quantise_int8::ONES;

/// Rows of the weight that a workgroup takes.
#[device]
pub const ROWS: u32 = 2;

/// The most subgroups in a workgroup: of four invocations.
#[device]
const GROUPS: u32 = 16;

/// y[m, n] = Σₖ x[m, k] · W[n, k] for `M` rows of x that `quantise_int8` made: `q` and `scales`. All of a
/// workgroup go along two rows of W together, an invocation 32 weights a step; bytes are multiplied four at
/// a time and summed as integers, as far as they share a scale.
#[kernel(workgroup_size(WIDE), groups(n.div_ceil(ROWS)), instances(F in formats::INTEGERS))]
#[requires(k % F::ELEMS == 0, w.blocks() >= n * k / F::ELEMS, q.len() >= M * k / 16, scales.len() >= M * k / 32, y.len() >= M * n, M >= 1, M <= 8, WIDE <= 64)]
pub fn gemv_int8<F: IntegerFormat, const M: u32 = 1, const WIDE: u32 = 64>(
    w: &[Packed<F>],
    q: &[Vec4<u32>],
    scales: &[Vec2<f32>],
    y: &mut [f32],
    n: u32,
    k: u32,
) {
    #[workgroup]
    let partial: [f32; GROUPS * ROWS * 8];
    let me = local_index();
    let top = workgroup_index() * ROWS;
    if top >= n {
        return;
    }
    let runs = k / 32;
    let mut sums = [0.0; ROWS * 8];
    for run in (me..runs).step_by(WIDE) {
        let mut bytes = [0; ROWS * 8];
        let mut by = [0.0; ROWS * 4];
        let mut off = [0.0; ROWS * 4];
        #[unroll]
        for r in 0..ROWS {
            // The last row once more, where there is none.
            let row = (top + r).min(n - 1);
            let b = w.block(row * (k / F::ELEMS) + run / (F::ELEMS / 32));
            let at = run % (F::ELEMS / 32) * 32;
            #[unroll]
            for i in 0..8 {
                bytes[r * 8 + i] = F::quants(b, at + 4 * i);
            }
            #[unroll]
            for part in 0..32 / F::RUN {
                by[r * 4 + part] = F::scale(b, at + part * F::RUN);
                if F::HAS_MINIMUM {
                    off[r * 4 + part] = F::minimum(b, at + part * F::RUN);
                }
            }
        }
        for m in 0..M {
            let low = q[(m * runs + run) * 2];
            let high = q[(m * runs + run) * 2 + 1];
            let x = [low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w];
            let scale = scales[m * runs + run];
            #[unroll]
            for r in 0..ROWS {
                let mut sum = 0.0;
                #[unroll]
                for part in 0..32 / F::RUN {
                    let mut dots = 0;
                    #[unroll]
                    for i in 0..F::RUN / 4 {
                        dots += dot4_i8_packed(
                            bytes[r * 8 + part * (F::RUN / 4) + i],
                            x[part * (F::RUN / 4) + i],
                        );
                    }
                    sum += by[r * 4 + part] * dots as f32;
                    if F::HAS_MINIMUM && F::RUN < 32 {
                        let mut all = 0;
                        #[unroll]
                        for i in 0..F::RUN / 4 {
                            all += dot4_i8_packed(ONES, x[part * (F::RUN / 4) + i]);
                        }
                        sum -= off[r * 4 + part] * all as f32;
                    }
                }
                sums[r * 8 + m] += scale.x * sum;
                if F::HAS_MINIMUM && F::RUN == 32 {
                    sums[r * 8 + m] -= scale.y * off[r * 4];
                }
            }
        }
    }
    // A subgroup's sums, then those of all.
    #[unroll]
    for r in 0..ROWS {
        for m in 0..M {
            let sum = subgroup_add(sums[r * 8 + m]);
            if subgroup_elect() && subgroup_id() < GROUPS {
                partial[(subgroup_id() * ROWS + r) * 8 + m] = sum;
            }
        }
    }
    workgroup_barrier();
    let r = me / 8;
    let m = me % 8;
    if r < ROWS && m < M && top + r < n {
        let mut sum = 0.0;
        for group in 0..num_subgroups().min(GROUPS) {
            sum += partial[(group * ROWS + r) * 8 + m];
        }
        #[allow(uncoalesced_access)]
        {
            y[m * n + top + r] = sum;
        }
    }
}
