//! Many slots at once by cooperative matrices of halves, with sums in f32.

use rlx_kernels::prelude::*;

use super::group_rows::tiles_of;
use crate::formats;
use crate::matmul::matmul_halves::{DEPTH, PITCH, halves, weights};

/// Slots of a tile.
#[device]
pub const TILE: u32 = 64;

/// Rows of an expert that a workgroup takes.
#[device]
const COLUMNS: u32 = 128;

/// y[s, n] = Σₖ scales[s / per] · x[s / per, k] · W[ids[s], n, k] for `rows` slots s, of which `group_rows` made
/// `order` and `tiles` of 64, and `halve_rows` the activations; zeros where an id is no expert's. `W` has `all`
/// rows, those of its experts one after the other, expert `first` first; where that is not expert 0, slots of
/// others stay as they are. Sixteen columns of the tile are a subgroup's, which leaves out what is past its
/// slots; it is fastest where the workgroup is eight subgroups.
#[kernel(
    workgroup_size(256),
    groups(n.div_ceil(COLUMNS.into()), rows / 64 + experts + 1),
    limits(workgroup_bytes = 49152),
    instances(F in formats::ALL)
)]
#[requires(k % F::ELEMS == 0, k < 1 << 31, n >= 1, n < 1 << 31, per >= 1, rows >= 1, x_rows >= 1, all >= 1, all < 1 << 31, experts <= 1 << 16, w.blocks() >= all * k / F::ELEMS, order.len() >= rows, tiles.len() >= rows / 64 + experts + 1, x.len() >= x_rows * (k.div_ceil(8) * 2), scales.len() >= x_rows, y.len() >= rows * n)]
#[allow(clippy::too_many_arguments)]
pub fn matmul_experts_halves<F: BlockFormat>(
    w: &[Packed<F>],
    x: &[Vec4<f16>],
    scales: &[f32],
    order: &[u32],
    tiles: &[Vec4<u32>],
    y: &mut [f32],
    n: u32,
    k: u32,
    all: u32,
    rows: u32,
    x_rows: u32,
    per: u32,
    experts: u32,
    first: u32,
) {
    #[workgroup]
    let ws: [Vec4<f16>; COLUMNS * PITCH];
    #[workgroup]
    let xs: [Vec4<f16>; TILE * PITCH];
    // A matrix of each of eight parts.
    #[workgroup]
    let out: [f32; 8 * 256];
    #[workgroup]
    let of: Vec4<u32>;
    let me = local_index();
    let left = workgroup_id().x * COLUMNS;
    let place = workgroup_id().y;
    if place >= tiles_of(rows, experts, TILE) || left >= n || k == 0 {
        return;
    }
    if me == 0 {
        of = tiles[place];
    }
    let tile = workgroup_uniform_load(of);
    let own = if tile.x < first { all } else { tile.x - first };
    let is_there = own < all / n;
    if tile.z == 0 || !is_there && first > 0 {
        return;
    }
    // The last rows stand for those past the edges, whose results nobody keeps.
    let row_w = (own.min(all / n) * n + (left + me / 2).min(n - 1)).min(all - 1);
    let mut row_x = [0; 4];
    #[unroll]
    for i in 0..4 {
        let slot = order[(tile.y + i * 16 + me / 16).min(rows - 1)];
        row_x[i] = slot / per;
    }
    for round in 0..8.div_ceil(num_subgroups()).min(8) {
        let part = (round * num_subgroups() + subgroup_id()).min(7);
        let mut sums = [MatrixC::<f32, 16>::zero(); 4];
        let mut next_w = [Vec4::splat(f16::ZERO); 8];
        let mut next_x = [Vec4::splat(f16::ZERO); 4];
        #[unroll]
        for i in 0..4 {
            let v = weights(w, row_w, me % 2 * 32 + i * 8, k);
            next_w[i * 2] = v[0];
            next_w[i * 2 + 1] = v[1];
        }
        #[unroll]
        for i in 0..4 {
            if i * 16 < tile.z {
                next_x[i] = halves(x, row_x[i].min(x_rows - 1), me % 16, k);
            }
        }
        for base in (0..k).step_by(DEPTH) {
            #[unroll]
            for i in 0..8 {
                // Two turns, which rows without a pad would make eight of.
                #[allow(bank_conflict)]
                {
                    ws[me / 2 * PITCH + me % 2 * 8 + i] = next_w[i];
                }
            }
            #[unroll]
            for i in 0..4 {
                xs[(i * 16 + me / 16) * PITCH + me % 16] = next_x[i];
            }
            workgroup_barrier();
            #[unroll]
            for i in 0..4 {
                let v = weights(w, row_w, base + DEPTH + me % 2 * 32 + i * 8, k);
                next_w[i * 2] = v[0];
                next_w[i * 2 + 1] = v[1];
            }
            #[unroll]
            for i in 0..4 {
                if i * 16 < tile.z {
                    next_x[i] =
                        halves(x, row_x[i].min(x_rows - 1), (base + DEPTH) / 4 + me % 16, k);
                }
            }
            #[unroll]
            for step in 0..4 {
                let b = MatrixB::<f16, 16>::load_columns(&ws, part * 16 * PITCH + step * 4, PITCH);
                #[unroll]
                for i in 0..4 {
                    if i * 16 < tile.z {
                        let at = i * 16 * PITCH + step * 4;
                        let a = MatrixA::<f16, 16>::load_rows(&xs, at, PITCH);
                        sums[i] = multiply_add(a, b, sums[i]);
                    }
                }
            }
            workgroup_barrier();
        }
        let start = round * num_subgroups();
        #[unroll]
        for block in 0..4 {
            if block * 16 < tile.z {
                if start + subgroup_id() < 8 {
                    sums[block].store_rows(&mut out, part * 256, 16);
                }
                workgroup_barrier();
                for i in (me..8 * 256).step_by(256) {
                    let row = i / 128;
                    let column = i % 128;
                    let is_made = column / 16 >= start && column / 16 < start + num_subgroups();
                    if is_made && block * 16 + row < tile.z && left + column < n {
                        let slot = order[(tile.y + block * 16 + row).min(rows - 1)];
                        if slot < rows {
                            let sum = out[column / 16 * 256 + row * 16 + column % 16];
                            let scale = scales[(slot / per).min(x_rows - 1)];
                            y[slot * n + left + column] = if is_there { sum * scale } else { 0.0 };
                        }
                    }
                }
                workgroup_barrier();
            }
        }
    }
}
