//! Rows into a cache at their positions.

use rlx_kernels::prelude::*;

/// cache[positions[t], ..] = x[t, ..] for `rows` rows of `width`; the cache has `capacity` rows, and a row at
/// a position past them is left out.
#[kernel(workgroup_size(64), threads(rows * width))]
#[requires(width >= 1, x.len() >= rows * width, positions.len() >= rows, cache.len() >= capacity * width)]
pub fn append_rows(
    x: &[f32],
    positions: &[u32],
    cache: &mut [f32],
    rows: u32,
    width: u32,
    capacity: u32,
) {
    let i = global_index();
    let row = i / width;
    if row < rows {
        let position = positions[row];
        if position < capacity {
            cache[position * width + i % width] = x[i];
        }
    }
}
