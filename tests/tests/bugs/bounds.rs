//! Indices past the end, and loops without one.

use rlx_kernels::prelude::*;

use crate::{floats, planted};

/// `<=` where `<` is meant.
#[kernel(workgroup_size(32), threads(n + 1))]
fn one_too_many(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i + mended <= n {
        y[i] = x[i]; //~ out-of-bounds
    }
}

/// No guard at all: the last workgroup is larger than what is left.
#[kernel(workgroup_size(32), threads(n))]
fn no_guard(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if mended == 0 || i < n {
        y[i] = 2.0 * x[i.min(n - 1)]; //~ out-of-bounds
    }
}

/// The right neighbour of the last number.
#[kernel(workgroup_size(32), threads(n))]
fn right_edge(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let next = if mended == 1 {
            (i + 1).min(n - 1)
        } else {
            i + 1
        };
        y[i] = x[next] - x[i]; //~ out-of-bounds
    }
}

/// A tile of 32 has no 33rd column.
#[kernel(workgroup_size(32), groups(1))]
fn tile_edge(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let tile: [f32; 32];
    let me = local_index();
    tile[me] = x[me];
    workgroup_barrier();
    let next = if mended == 1 { (me + 1) % 32 } else { me + 1 };
    y[me] = tile[next]; //~ out-of-bounds
}

/// Ids come from outside, and nobody looks at them.
#[kernel(workgroup_size(32), threads(n))]
fn gathered_rows(table: &[f32], ids: &[u32], y: &mut [f32], n: u32, rows: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let id = if mended == 1 {
            ids[i].min(rows - 1)
        } else {
            ids[i]
        };
        y[i] = table[id]; //~ out-of-bounds
    }
}

/// Rows and columns are mixed up: right for squares alone.
#[kernel(workgroup_size(8, 8), threads(columns, rows))]
fn rows_for_columns(x: &[f32], y: &mut [f32], rows: u32, columns: u32, mended: u32) {
    let id = global_id();
    if id.x < columns && id.y < rows {
        let width = if mended == 1 { columns } else { rows };
        y[id.y * columns + id.x] = x[id.y * width + id.x]; //~ out-of-bounds
    }
}

/// A local array is one element short.
#[kernel(workgroup_size(32), threads(n))]
fn short_array(x: &[u32], y: &mut [u32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let mut counts = [0; 4];
        counts[(x[i] + 1 - mended) % 5 % (4 + 1 - mended)] += 1; //~ out-of-bounds
        y[i] = counts[0];
    }
}

/// The search never ends where what it looks for is not there.
#[kernel(workgroup_size(4), threads(n))]
fn search_without_end(x: &[u32], y: &mut [u32], n: u32, wanted: u32, mended: u32) {
    let mut i = global_index() % n;
    let mut left = n;
    while x[i] != wanted {
        //~^ loop-bound
        i = (i + 1) % n;
        left -= mended;
        if left == 0 {
            break;
        }
    }
    if global_index() < n {
        y[global_index()] = i;
    }
}

/// The step becomes zero.
#[kernel(workgroup_size(4), threads(n))]
fn step_of_zero(x: &[f32], y: &mut [f32], n: u32, stride: u32, mended: u32) {
    let mut sum = 0.0;
    let mut i = 0;
    while i < n {
        //~^ loop-bound
        sum += x[i];
        i += stride.max(mended);
    }
    if global_index() < n {
        y[global_index()] = sum;
    }
}

planted! {
    an_index_of_n: one_too_many |o, mended| one_too_many::simulate(&floats(32), &mut [0.0; 32], 32, mended, o);
    a_kernel_without_a_guard: no_guard |o, mended| no_guard::simulate(&floats(20), &mut [0.0; 20], 20, mended, o);
    a_neighbour_past_the_end: right_edge |o, mended| right_edge::simulate(&floats(40), &mut [0.0; 40], 40, mended, o);
    a_neighbour_past_the_tile: tile_edge |o, mended| tile_edge::simulate(&floats(32), &mut [0.0; 32], mended, o);
    an_id_past_the_table: gathered_rows |o, mended| gathered_rows::simulate(&floats(10), &[1, 10, 3], &mut [0.0; 3], 3, 10, mended, o);
    rows_taken_for_columns: rows_for_columns |o, mended| rows_for_columns::simulate(&floats(40), &mut [0.0; 40], 10, 4, mended, o);
    an_array_that_is_too_short: short_array |o, mended| short_array::simulate(&(0..40).collect::<Vec<u32>>(), &mut [0; 40], 40, mended, o);
    a_search_that_finds_nothing: search_without_end |o, mended| search_without_end::simulate(&[1, 2, 3], &mut [0; 3], 3, 7, mended, o);
    a_loop_that_does_not_move: step_of_zero |o, mended| step_of_zero::simulate(&floats(3), &mut [0.0; 3], 3, 0, mended, o);
}
