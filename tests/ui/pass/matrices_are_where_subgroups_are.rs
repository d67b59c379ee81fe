//! What is done with matrices goes where a subgroup goes as a whole, also by helpers, loops and what
//! subgroups find out together.
#![deny(warnings)]

use rlx_kernels::prelude::*;

/// Sums along a row of tiles.
#[device]
fn row_of<const N: u32>(x: &[f32], first: u32, tiles: u32) -> MatrixC<f32, N> {
    let mut sum = MatrixC::<f32, N>::zero();
    for tile in 0..tiles {
        sum += MatrixC::<f32, N>::load_rows(x, first + tile * N, tiles * N);
    }
    sum
}

#[kernel(workgroup_size(128), groups(rows))]
pub fn sums(x: &[f32], y: &mut [f32], rows: u32, tiles: u32) {
    let some = subgroup_any(x[local_index()] != 0.0);
    let mut at = subgroup_id();
    while at < rows {
        let first = at * 8 * tiles * 8;
        if some && tiles > 1 {
            row_of::<8>(x, first, tiles).store_rows(y, at * 64, 8);
        } else {
            let tile = MatrixC::<f32, 8>::load_rows(x, first, 8 * tiles);
            tile.store_rows(y, at * 64, 8);
        }
        at += num_subgroups();
    }
}

fn main() {
    assert!(sums::info().features.matrix);
}
