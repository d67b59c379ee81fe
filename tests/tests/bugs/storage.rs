//! Storage that several invocations touch.

use rlx_kernels::prelude::*;

use crate::{floats, planted};

/// A generation is written over the one that it is made from.
#[kernel(workgroup_size(16), threads(n))]
fn life_in_place(cells: &mut [u32], next: &mut [u32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let neighbours = cells[(i + n - 1) % n] + cells[(i + 1) % n]; //~ race
        if mended == 1 {
            next[i] = neighbours % 2;
        } else {
            cells[i] = neighbours % 2;
        }
    }
}

/// A sweep uses what it has just written, or not: another workgroup's pace decides.
#[kernel(workgroup_size(16), threads(n))]
fn sweep_in_place(u: &mut [f32], next: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i > 0 && i + 1 < n {
        let mean = (u[i - 1] + u[i + 1]) * 0.5; //~ race
        if mended == 1 {
            next[i] = mean;
        } else {
            u[i] = mean;
        }
    }
}

/// Bins are counted without atomics.
#[kernel(workgroup_size(32), threads(n))]
fn plain_histogram(x: &[u32], bins: &mut [u32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let bin = if mended == 1 { i } else { x[i] % 4 };
        bins[bin] += 1; //~ race
    }
}

/// Two numbers are kept in one place.
#[kernel(workgroup_size(32), threads(n))]
fn overlapping_writes(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let at = if mended == 1 { i } else { i / 2 };
        y[at] = x[i]; //~ race
    }
}

/// Products are added to the rows of y without atomics.
#[kernel(workgroup_size(32), threads(entries))]
fn scattered_sum(rows: &[u32], values: &[f32], y: &mut [f32], entries: u32, mended: u32) {
    let i = global_index();
    if i < entries {
        let row = if mended == 1 { i } else { rows[i] };
        y[row] += values[i]; //~ race
    }
}

/// The largest number is found by looking before writing.
#[kernel(workgroup_size(32), threads(n))]
fn plain_maximum(x: &[f32], most: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let at = if mended == 1 { i } else { 0 };
        if x[i] > most[at] {
            most[at] = x[i]; //~ race
        }
    }
}

/// Each workgroup takes the result of the one before it for done.
#[kernel(workgroup_size(32), threads(n))]
fn chained_groups(x: &[f32], sums: &mut [f32], n: u32, mended: u32) {
    let group = workgroup_index();
    if local_index() == 0 && group * 32 < n {
        let mut sum = 0.0;
        for i in group * 32..(group * 32 + 32).min(n) {
            sum += x[i];
        }
        if mended == 0 && group > 0 {
            sum += sums[group - 1]; //~ race
        }
        sums[group] = sum;
    }
}

/// A storage barrier makes one workgroup wait, not all of them.
#[kernel(workgroup_size(32), threads(n))]
fn barrier_of_one_group(x: &[f32], scratch: &mut [f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        scratch[i] = x[i] * 2.0;
    }
    storage_barrier();
    let from = if mended == 1 { i } else { n - 1 - i.min(n - 1) };
    if i < n {
        y[i] = scratch[from]; //~ race
    }
}

/// Where a number goes depends on who was first.
#[kernel(workgroup_size(32), threads(n))]
fn unordered_compaction(x: &[u32], count: &mut [AtomicU32], kept: &mut [u32], n: u32, mended: u32) {
    let i = global_index();
    if i < n && x[i] % 3 == 0 {
        let ticket = count[0].fetch_add(1);
        let at = if mended == 1 { i } else { ticket };
        kept[at] = x[i]; //~ order-dependent
    }
}

/// The last one wins, whoever that is.
#[kernel(workgroup_size(32), threads(n))]
fn last_one_wins(x: &[u32], winner: &mut [AtomicU32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        if mended == 1 {
            winner[0].fetch_max(x[i]);
        } else {
            winner[0].store(x[i]); //~ order-dependent
        }
    }
}

planted! {
    a_generation_in_place: life_in_place |o, mended| life_in_place::simulate(&mut [1; 40], &mut [0; 40], 40, mended, o);
    a_sweep_in_place: sweep_in_place |o, mended| sweep_in_place::simulate(&mut floats(40), &mut [0.0; 40], 40, mended, o);
    a_histogram_without_atomics: plain_histogram |o, mended| plain_histogram::simulate(&[1; 40], &mut [0; 40], 40, mended, o);
    two_results_in_one_place: overlapping_writes |o, mended| overlapping_writes::simulate(&floats(40), &mut [0.0; 40], 40, mended, o);
    sums_scattered_without_atomics: scattered_sum |o, mended| scattered_sum::simulate(&[0; 40], &floats(40), &mut [0.0; 40], 40, mended, o);
    a_maximum_without_atomics: plain_maximum |o, mended| plain_maximum::simulate(&floats(40), &mut [0.0; 40], 40, mended, o);
    groups_that_rely_on_the_one_before: chained_groups |o, mended| chained_groups::simulate(&floats(80), &mut [0.0; 3], 80, mended, o);
    a_barrier_that_other_groups_do_not_reach: barrier_of_one_group |o, mended| barrier_of_one_group::simulate(&floats(80), &mut [0.0; 80], &mut [0.0; 80], 80, mended, o);
    tickets_that_decide_the_order: unordered_compaction |o, mended| unordered_compaction::simulate(&(0..40).collect::<Vec<u32>>(), &mut [0], &mut [0; 40], 40, mended, o);
    a_store_that_races_itself: last_one_wins |o, mended| last_one_wins::simulate(&(0..40).collect::<Vec<u32>>(), &mut [0], 40, mended, o);
}
