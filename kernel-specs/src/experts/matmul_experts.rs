//! Many slots at once: tiles of slots that share an expert.

use rlx_kernels::prelude::*;

use super::group_rows::tiles_of;
use crate::formats;
use crate::matmul::dot::run8;
use crate::matmul::matmul_bt::multiply;

/// Slots of a tile.
#[device]
pub const TILE: u32 = 32;

/// y[s, n] = Σₖ x[s / per, k] · W[ids[s], n, k] for `rows` slots s, of which `group_rows` made `order` and
/// `tiles` of 32; zeros where an id is no expert's. `W` has `all` rows, those of its experts one after the other,
/// expert `first` first; where that is not expert 0, slots of others stay as they are. A workgroup makes a tile
/// of 32 slots × 64 as `matmul_bt` does.
#[kernel(
    workgroup_size(64),
    groups(n.div_ceil(64), rows / 32 + experts + 1),
    instances(F in formats::ALL)
)]
#[requires(k % F::ELEMS == 0, k < 1 << 31, n >= 1, n < 1 << 31, per >= 1, rows >= 1, x_rows >= 1, all >= 1, all < 1 << 31, experts <= 1 << 16, w.blocks() >= all * k / F::ELEMS, order.len() >= rows, tiles.len() >= rows / 32 + experts + 1, x.len() >= x_rows * k, y.len() >= rows * n)]
#[allow(clippy::too_many_arguments)]
pub fn matmul_experts<F: BlockFormat>(
    w: &[Packed<F>],
    x: &[f32],
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
    let ws: [Vec4<f32>; 8 * 64];
    #[workgroup]
    let xs: [Vec4<f32>; 8 * 33];
    #[workgroup]
    let of: Vec4<u32>;
    let me = local_index();
    let first_n = workgroup_id().x * 64;
    let place = workgroup_id().y;
    if place >= tiles_of(rows, experts, TILE) || first_n >= n {
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
    let col = me % 8;
    let row = me / 8;
    let w_row = (own.min(all / n) * n + first_n + me).min(all - 1);
    let is_made = is_there && first_n + me < n;
    let mut slots = [0; 4];
    #[unroll]
    for part in 0..4 {
        slots[part] = order[(tile.y + 8 * part + row).min(rows - 1)];
    }
    let mut sums = [Vec4::splat(0.0); 8];
    for base in (0..k).step_by(32) {
        // An invocation decodes 32 weights of one row.
        #[unroll]
        for run in 0..4 {
            let at = base + 8 * run;
            let mut v = [Vec4::splat(0.0); 2];
            if is_made && at < k {
                v = run8(w, w_row * (k / F::ELEMS), at, k);
            }
            ws[128 * run + me] = v[0];
            ws[128 * run + 64 + me] = v[1];
        }
        // And fetches four activations of each of four slots.
        let at = base + 4 * col;
        #[unroll]
        for part in 0..4 {
            let x_row = (slots[part] / per).min(x_rows - 1);
            let mut v = Vec4::splat(0.0);
            #[unroll]
            for i in 0..4 {
                if at + i < k {
                    v[i] = x[x_row * k + at + i];
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
        let slot = slots[i];
        if 8 * i + row < tile.z.min(TILE) && slot < rows {
            #[unroll]
            for j in 0..8 {
                let at = first_n + 8 * j + col;
                if at < n {
                    y[slot * n + at] = sums[2 * i + j / 4][j % 4];
                }
            }
        }
    }
}
