//! What goes wrong with matrices that a subgroup holds.

use rlx_kernels::prelude::*;

use crate::{floats, planted};

/// The tile is read before all of it is there.
#[kernel(workgroup_size(64), groups(1))]
fn early_product(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_index();
    tile[me] = x[me];
    if mended == 1 {
        workgroup_barrier();
    }
    if subgroup_id() == 0 {
        let a = MatrixA::<f32, 8>::load_rows(&tile, 0, 8); //~ race
        let b = MatrixB::<f32, 8>::load_rows(x, 0, 8);
        multiply_add(a, b, MatrixC::<f32, 8>::zero()).store_rows(y, 0, 8);
    }
}

/// What a subgroup has stored, its own invocations read at once.
#[kernel(workgroup_size(64), groups(1))]
fn early_epilogue(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let out: [f32; 64];
    if subgroup_id() == 0 {
        let c = MatrixC::<f32, 8>::load_rows(x, 0, 8);
        (2.0 * c).store_rows(&mut out, 0, 8);
    }
    if mended == 1 {
        workgroup_barrier();
    }
    let me = local_index();
    y[me] = out[me].max(0.0); //~ race
}

/// A subgroup reads what it has just stored itself: in which order its invocations do, nobody knows.
#[kernel(workgroup_size(64), groups(1))]
fn stored_and_read(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let kept: [f32; 64];
    if subgroup_id() == 0 {
        MatrixC::<f32, 8>::load_rows(x, 0, 8).store_rows(&mut kept, 0, 8);
    }
    if mended == 1 {
        workgroup_barrier();
    }
    if subgroup_id() == 0 {
        let c = MatrixC::<f32, 8>::load_columns(&kept, 0, 8); //~ race
        c.store_rows(y, 0, 8);
    }
}

/// The last rows lie past the end.
#[kernel(workgroup_size(64), groups(1))]
fn past_the_end(x: &[f32], y: &mut [f32], mended: u32) {
    if subgroup_id() == 0 {
        let from = if mended == 1 { 0 } else { 1 };
        let c = MatrixC::<f32, 8>::load_rows(x, from, 8); //~ out-of-bounds
        c.store_rows(y, 0, 8);
    }
}

/// Half of the tile has been written.
#[kernel(workgroup_size(64), groups(1))]
fn half_a_tile(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_index();
    if mended == 1 || me < 32 {
        tile[me] = x[me];
    }
    workgroup_barrier();
    if subgroup_id() == 0 {
        let c = MatrixC::<f32, 8>::load_rows(&tile, 0, 8); //~ uninitialised
        c.store_rows(y, 0, 8);
    }
}

/// A workgroup of three eights has no whole subgroup of sixteen at its end.
#[kernel(workgroup_size(24), groups(1))]
fn three_eighths(x: &[f32], y: &mut [f32], mended: u32) {
    if mended == 0 {
        let c = MatrixC::<f32, 8>::load_rows(x, 0, 8); //~ partial-subgroup
        if subgroup_id() == 0 {
            c.store_rows(y, 0, 8);
        }
    }
}

/// The sum is beyond f16.
#[kernel(workgroup_size(64), groups(1))]
fn beyond_half(x: &[f16], y: &mut [f16], mended: u32) {
    let by = if mended == 1 {
        f16::ONE
    } else {
        f16::from_f32(256.0)
    };
    if subgroup_id() == 0 {
        let a = MatrixA::<f16, 8>::load_rows(x, 0, 8) * by;
        let b = MatrixB::<f16, 8>::load_rows(x, 0, 8);
        let c = multiply_add(a, b, MatrixC::<f16, 8>::zero()); //~ not-finite
        c.store_rows(y, 0, 8);
    }
}

planted! {
    a_product_of_a_tile_that_is_not_there_yet: early_product |o, mended| early_product::simulate(&floats(64), &mut [0.0; 64], mended, o);
    an_epilogue_of_a_tile_that_is_not_there_yet: early_epilogue |o, mended| early_epilogue::simulate(&floats(64), &mut [0.0; 64], mended, o);
    a_subgroup_that_reads_what_it_has_just_stored: stored_and_read |o, mended| stored_and_read::simulate(&floats(64), &mut [0.0; 64], mended, o);
    a_matrix_past_the_end: past_the_end |o, mended| past_the_end::simulate(&floats(64), &mut [0.0; 64], mended, o);
    half_of_a_tile: half_a_tile |o, mended| half_a_tile::simulate(&floats(64), &mut [0.0; 64], mended, o);
    a_workgroup_of_no_whole_subgroups: three_eighths |o, mended| three_eighths::simulate(&floats(64), &mut [0.0; 64], mended, o);
    a_sum_beyond_half: beyond_half |o, mended| beyond_half::simulate(&[f16::from_f32(32.0); 64], &mut [f16::ZERO; 64], mended, o);
}
