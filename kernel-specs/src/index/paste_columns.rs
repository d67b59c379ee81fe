//! Columns of a matrix from a narrower one: the product with a part of a weight in its place.

use rlx_kernels::prelude::*;

/// y[r, first + c] = part[r, c], for `rows` rows of `width` columns of `n`.
#[kernel(workgroup_size(64), threads(rows * width))]
#[requires(part.len() >= rows * width, y.len() >= rows * n)]
pub fn paste_columns(part: &[f32], y: &mut [f32], rows: u32, width: u32, first: u32, n: u32) {
    let at = global_index();
    if at < rows * width {
        let row = at / width;
        let column = first + at % width;
        if row < rows && column < n {
            y[row * n + column] = part[at];
        }
    }
}
