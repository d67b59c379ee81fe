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
const DEPTH: u32 = 32;

/// Four halves a place; two places more than a row has, so that rows begin in different banks.
#[device]
const PITCH: u32 = 10;

/// y[m, n] = Σₖ scales[m] · x[m, k] · W[n, k], any m, n and k, of rows that `halve_rows` made. Weights are
/// decoded once a tile into workgroup memory. A sixteenth of the tile, 32 × 32, is a subgroup's; it is fastest
/// where `WIDE` is sixteen subgroups, and right wherever it is a multiple of one.
#[kernel(
    workgroup_size(WIDE),
    groups(n.div_ceil(TILE.into()), m.div_ceil(TILE.into())),
    limits(workgroup_bytes = 24576, invocations = 512),
    instances(F in formats::ALL)
)]
#[requires(k % F::ELEMS == 0, k < 1 << 31, w.blocks() >= n * k / F::ELEMS, x.len() >= m * (k.div_ceil(8) * 2), scales.len() >= m, y.len() >= m * n, WIDE <= 1024)]
pub fn matmul_halves<F: BlockFormat, const WIDE: u32 = 512>(
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
    for round in 0..16.div_ceil(num_subgroups()).min(16) {
        let part = round * num_subgroups() + subgroup_id();
        let x_row = part / 4 % 4 * 32;
        let w_row = part % 4 * 32;
        let mut sums = [MatrixC::<f32, 16>::zero(); 4];
        for base in (0..k).step_by(DEPTH) {
            // Runs of eight, four a row.
            for run in (me..TILE * 4).step_by(WIDE) {
                let row = run / 4;
                let at = base + run % 4 * 8;
                let mut v = [Vec4::splat(0.0); 2];
                let mut u = [Vec4::splat(f16::ZERO); 2];
                if at < k {
                    if left + row < n {
                        v = run8(w, (left + row) * (k / F::ELEMS), at, k);
                    }
                    if top + row < m {
                        let first = (top + row) * pitch(k) + at / 4;
                        u = [x[first], x[first + 1]];
                    }
                }
                ws[row * PITCH + run % 4 * 2] = to_f16(v[0]);
                ws[row * PITCH + run % 4 * 2 + 1] = to_f16(v[1]);
                xs[row * PITCH + run % 4 * 2] = u[0];
                xs[row * PITCH + run % 4 * 2 + 1] = u[1];
            }
            workgroup_barrier();
            if part < 16 {
                #[unroll]
                for step in 0..2 {
                    let mut b = [MatrixB::<f16, 16>::zero(); 2];
                    #[unroll]
                    for j in 0..2 {
                        let at = (w_row + j * 16) * PITCH + step * 4;
                        b[j] = MatrixB::<f16, 16>::load_columns(&ws, at, PITCH);
                    }
                    #[unroll]
                    for i in 0..2 {
                        let at = (x_row + i * 16) * PITCH + step * 4;
                        let a = MatrixA::<f16, 16>::load_rows(&xs, at, PITCH);
                        #[unroll]
                        for j in 0..2 {
                            sums[i * 2 + j] = multiply_add(a, b[j], sums[i * 2 + j]);
                        }
                    }
                }
            }
            workgroup_barrier();
        }
        let first = round * num_subgroups();
        for turn in first / 4..(first + num_subgroups()).min(16).div_ceil(4) {
            #[unroll]
            for at in 0..4 {
                if part / 4 == turn {
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
