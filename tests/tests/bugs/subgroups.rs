//! What is taken for granted about subgroups.

use rlx_kernels::prelude::*;

use crate::{floats, planted};

/// Sums of subgroups are kept in two places, as if there were two of 32.
#[kernel(workgroup_size(64), groups(1))]
fn two_subgroups(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let sums: [f32; 64];
    let sum = subgroup_add(x[local_index()]);
    if subgroup_elect() {
        let at = if mended == 1 {
            subgroup_id()
        } else {
            local_index() / 32
        };
        sums[at] = sum; //~ race
    }
    workgroup_barrier();
    if local_index() == 0 {
        let mut all = 0.0;
        for i in 0..num_subgroups() {
            all += sums[i];
        }
        y[0] = all;
    }
}

/// The invocation 16 places away, which small subgroups do not have.
#[kernel(workgroup_size(64), groups(1))]
fn shuffle_by_16(x: &[f32], y: &mut [f32], mended: u32) {
    let me = local_index();
    let mut sum = x[me];
    let mut distance = if mended == 1 { subgroup_size() / 2 } else { 16 };
    while distance > 0 {
        sum += subgroup_shuffle_xor(sum, distance); //~ subgroup-lane
        distance /= 2;
    }
    if mended == 0 || subgroup_elect() {
        y[me] = if mended == 1 { 0.0 * sum } else { sum };
    }
}

/// All but the first 32 are left out, as if they had the sums of the others.
#[kernel(workgroup_size(64), groups(1))]
fn first_warp(x: &[u32], y: &mut [u32], mended: u32) {
    #[workgroup]
    let sums: [u32; 64];
    let me = local_index();
    let sum = subgroup_add(x[me]);
    if subgroup_elect() {
        sums[subgroup_id()] = sum;
    }
    workgroup_barrier();
    if me == 0 {
        let mut all = 0;
        let count = if mended == 1 { num_subgroups() } else { 2 };
        for i in 0..count {
            all += sums[i]; //~ uninitialised
        }
        y[0] = all;
    }
}

planted! {
    places_for_two_subgroups: two_subgroups |o, mended| two_subgroups::simulate(&floats(64), &mut [0.0], mended, o);
    a_shuffle_farther_than_the_subgroup: shuffle_by_16 |o, mended| shuffle_by_16::simulate(&floats(64), &mut [0.0; 64], mended, o);
    sums_of_two_subgroups_where_there_is_one: first_warp |o, mended| first_warp::simulate(&[1; 64], &mut [0], mended, o);
}
