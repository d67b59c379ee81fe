//! Rotary position embedding (Su et al., 2021).

use rlx_kernels::prelude::*;

/// y = x with the first `r` of the `d` elements of each of `heads` rotated in pairs by the angles of their
/// row's position, of which a row of `table` holds `r / 2` cosines and then the sines. The elements of a pair
/// lie `gap` apart: 1 where they are neighbours, `r / 2` where they are halves. A row at a position past
/// `capacity` becomes zeros.
#[kernel(workgroup_size(64), threads(rows * heads * d))]
#[requires(d >= 1, heads >= 1, gap >= 1, r % 2 == 0, r <= d, positions.len() >= rows, x.len() >= rows * heads * d, y.len() >= rows * heads * d, table.len() >= capacity * r)]
pub fn rope(
    x: &[f32],
    table: &[f32],
    positions: &[u32],
    y: &mut [f32],
    rows: u32,
    heads: u32,
    d: u32,
    r: u32,
    gap: u32,
    capacity: u32,
) {
    let i = global_index();
    let row = i / d / heads;
    if i < rows * heads * d && row < rows {
        let position = positions[row];
        let at = i % d;
        if position >= capacity {
            y[i] = 0.0;
        } else if at >= r {
            y[i] = x[i];
        } else {
            let pair = at / (2 * gap) * gap + at % gap;
            let first = position * r;
            let cos = table[first + pair.min(r - 1)];
            let sin = table[first + (pair + r / 2).min(r - 1)];
            if at / gap % 2 == 0 {
                y[i] = x[i] * cos - x[(i + gap).min(rows * heads * d - 1)] * sin;
            } else {
                y[i] = x[i] * cos + x[i - gap.min(i)] * sin;
            }
        }
    }
}
