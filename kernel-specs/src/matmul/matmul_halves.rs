//! C = X · Wᵀ by cooperative matrices of halves, with sums in f32.

use rlx_kernels::prelude::*;

use super::dot::run8;
use crate::formats;
use crate::quant::halve_rows::pitch;

/// Rows and columns of the part of C that a workgroup makes.
#[device]
pub const TILE: u32 = 128;

/// Steps of k that lie in workgroup memory at a time.
#[device]
pub const DEPTH: u32 = 64;

/// Four halves a place; two places more than a row has, so that rows begin in different banks.
#[device]
pub const PITCH: u32 = 18;

/// Invocations a workgroup: four bring a row of each operand.
#[device]
const WIDE: u32 = 512;

/// Weights `at .. at + 8` of a row of `k` as halves. Past its end they are others of it, or zeros, without a
/// branch where there can be: what is fetched ahead must not wait for what is multiplied.
#[device]
pub fn weights<F: BlockFormat>(w: &[Packed<F>], row: u32, at: u32, k: u32) -> [Vec4<f16>; 2] {
    let mut v = [Vec4::splat(0.0); 2];
    if F::ELEMS % 8 == 0 {
        v = run8(w, row * (k / F::ELEMS), (at / 8).min(k / 8 - 1) * 8, k);
    } else if at < k {
        v = run8(w, row * k, at, k);
    }
    [to_f16(v[0]), to_f16(v[1])]
}

/// Halves `4 · four ..` of a row of activations; zeros past its end.
#[device]
pub fn halves(x: &[Vec4<f16>], row: u32, four: u32, k: u32) -> Vec4<f16> {
    let v = x[row * pitch(k) + four.min(pitch(k) - 1)];
    select(v, Vec4::splat(f16::ZERO), four < pitch(k))
}

/// y[m, n] = Σₖ scales[m] · x[m, k] · W[n, k], any m, n and k, of rows that `halve_rows` made. Weights are
/// decoded once a tile into workgroup memory; the next are fetched while matrices are multiplied. A sixteenth
/// of the tile, 32 × 32, is a subgroup's; it is fastest where the workgroup is sixteen subgroups, and right
/// wherever it is a multiple of one.
#[kernel(
    workgroup_size(WIDE),
    groups(n.div_ceil(TILE.into()), m.div_ceil(TILE.into())),
    limits(workgroup_bytes = 49152, invocations = 512),
    instances(F in formats::ALL)
)]
#[requires(k % F::ELEMS == 0, k < 1 << 31, w.blocks() >= n * k / F::ELEMS, x.len() >= m * (k.div_ceil(8) * 2), scales.len() >= m, y.len() >= m * n)]
pub fn matmul_halves<F: BlockFormat>(
    w: &[Packed<F>],
    x: &[Vec4<f16>],
    scales: &[f32],
    y: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
) {
    #[workgroup]
    let ws: [Vec4<f16>; TILE * PITCH];
    #[workgroup]
    let xs: [Vec4<f16>; TILE * PITCH];
    // A matrix of each of four parts at a time.
    #[workgroup]
    let out: [f32; 4 * 256];
    let me = local_index();
    let top = workgroup_id().y * TILE;
    let left = workgroup_id().x * TILE;
    if top >= m || left >= n || k == 0 {
        return;
    }
    // The last rows stand for those past the edges, whose results nobody keeps.
    let row_w = (left + me / 4).min(n - 1);
    let row_x = top + me / 16;
    for round in 0..16.div_ceil(num_subgroups()).min(16) {
        let part = (round * num_subgroups() + subgroup_id()).min(15);
        let at_x = part / 4 * 32;
        let at_w = part % 4 * 32;
        let mut sums = [MatrixC::<f32, 16>::zero(); 4];
        let mut next_w = [Vec4::splat(f16::ZERO); 4];
        let mut next_x = [Vec4::splat(f16::ZERO); 4];
        #[unroll]
        for i in 0..2 {
            let v = weights(w, row_w, me % 4 * 16 + i * 8, k);
            next_w[i * 2] = v[0];
            next_w[i * 2 + 1] = v[1];
        }
        #[unroll]
        for i in 0..4 {
            next_x[i] = halves(x, (row_x + i * 32).min(m - 1), me % 16, k);
        }
        for base in (0..k).step_by(DEPTH) {
            #[unroll]
            for i in 0..4 {
                // Two turns, which rows without a pad would make eight of.
                #[allow(bank_conflict)]
                {
                    ws[me / 4 * PITCH + me % 4 * 4 + i] = next_w[i];
                }
                xs[(me / 16 + i * 32) * PITCH + me % 16] = next_x[i];
            }
            workgroup_barrier();
            #[unroll]
            for i in 0..2 {
                let v = weights(w, row_w, base + DEPTH + me % 4 * 16 + i * 8, k);
                next_w[i * 2] = v[0];
                next_w[i * 2 + 1] = v[1];
            }
            #[unroll]
            for i in 0..4 {
                let four = (base + DEPTH) / 4 + me % 16;
                next_x[i] = halves(x, (row_x + i * 32).min(m - 1), four, k);
            }
            #[unroll]
            for step in 0..4 {
                let mut b = [MatrixB::<f16, 16>::zero(); 2];
                #[unroll]
                for j in 0..2 {
                    let at = (at_w + j * 16) * PITCH + step * 4;
                    b[j] = MatrixB::<f16, 16>::load_columns(&ws, at, PITCH);
                }
                #[unroll]
                for i in 0..2 {
                    let at = (at_x + i * 16) * PITCH + step * 4;
                    let a = MatrixA::<f16, 16>::load_rows(&xs, at, PITCH);
                    #[unroll]
                    for j in 0..2 {
                        sums[i * 2 + j] = multiply_add(a, b[j], sums[i * 2 + j]);
                    }
                }
            }
            workgroup_barrier();
        }
        let first = round * num_subgroups();
        for turn in first / 4..(first + num_subgroups()).min(16).div_ceil(4) {
            #[unroll]
            for at in 0..4 {
                if round * num_subgroups() + subgroup_id() < 16 && part / 4 == turn {
                    sums[at].store_rows(&mut out, part % 4 * 256, 16);
                }
                workgroup_barrier();
                for i in (me..4 * 256).step_by(WIDE) {
                    let of = turn * 4 + i / 256;
                    let row = top + of / 4 * 32 + at / 2 * 16 + i / 16 % 16;
                    let column = left + of % 4 * 32 + at % 2 * 16 + i % 16;
                    let is_made = of >= first && of < first + num_subgroups();
                    if is_made && row < m && column < n {
                        y[row * n + column] = out[i] * scales[row];
                    }
                }
                workgroup_barrier();
            }
        }
    }
}
