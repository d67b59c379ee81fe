//! Workgroup memory that nobody has written.

use rlx_kernels::prelude::*;

use crate::{floats, planted};

/// Only some of the sums are set to zero.
#[kernel(workgroup_size(32), groups(1))]
fn sums_without_a_start(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let sums: [f32; 32];
    let me = local_index();
    if mended == 1 {
        sums[me] = 0.0;
    }
    sums[me] += x[me]; //~ uninitialised
    y[me] = sums[me];
}

/// The last tile is not full, and all of it is summed.
#[kernel(workgroup_size(32), groups(1))]
fn rest_of_a_tile(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    #[workgroup]
    let tile: [f32; 32];
    let me = local_index();
    if me < n {
        tile[me] = x[me];
    } else if mended == 1 {
        tile[me] = 0.0;
    }
    workgroup_barrier();
    if me == 0 {
        let mut sum = 0.0;
        for i in 0..32 {
            sum += tile[i]; //~ uninitialised
        }
        y[0] = sum;
    }
}

/// The halo has a left side and no right one.
#[kernel(workgroup_size(32), groups(1))]
fn half_a_halo(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let tile: [f32; 34];
    let me = local_index();
    tile[me + 1] = x[me];
    if me == 0 {
        tile[0] = 0.0;
    }
    if me == 31 && mended == 1 {
        tile[33] = 0.0;
    }
    workgroup_barrier();
    y[me] = tile[me] + tile[me + 2]; //~ uninitialised
}

/// The padding of a row is taken for its last column.
#[kernel(workgroup_size(8, 8), groups(1))]
fn padding_read(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let tile: [[f32; 9]; 8];
    let me = local_id();
    tile[me.y][me.x] = x[me.y * 8 + me.x];
    workgroup_barrier();
    let column = if mended == 1 { 7 - me.x } else { 8 - me.x };
    y[me.y * 8 + me.x] = tile[me.y][column]; //~ uninitialised
}

planted! {
    a_sum_that_begins_with_nothing: sums_without_a_start |o, mended| sums_without_a_start::simulate(&floats(32), &mut [0.0; 32], mended, o);
    a_tile_that_is_not_full: rest_of_a_tile |o, mended| rest_of_a_tile::simulate(&floats(20), &mut [0.0], 20, mended, o);
    a_halo_of_one_side: half_a_halo |o, mended| half_a_halo::simulate(&floats(32), &mut [0.0; 32], mended, o);
    a_padding_that_is_read: padding_read |o, mended| padding_read::simulate(&floats(64), &mut [0.0; 64], mended, o);
}
