//! Integers that do not hold what is asked of them.

use rlx_kernels::prelude::*;

use crate::{floats, planted};

/// The first element of a row lies past 2³².
#[kernel(workgroup_size(32), threads(n))]
fn offset_past_32_bits(y: &mut [u32], n: u32, stride: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let step = if mended == 1 { 1 } else { stride };
        y[i] = i * step; //~ wrap
    }
}

/// The neighbour before the first.
#[kernel(workgroup_size(32), threads(n))]
fn before_the_first(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let before = if mended == 1 && i == 0 { 0 } else { i - 1 }; //~ wrap
        y[i] = x[before.min(n - 1)];
    }
}

/// The middle of two large numbers.
#[kernel(workgroup_size(4), threads(n))]
fn middle(low: &[u32], high: &[u32], y: &mut [u32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let a = low[i];
        let b = high[i];
        y[i] = if mended == 1 {
            a + (b - a) / 2
        } else {
            (a + b) / 2 //~ wrap
        };
    }
}

/// One less than the length of nothing.
#[kernel(workgroup_size(4), groups(1))]
fn last_of_nothing(lens: &[u32], y: &mut [u32], mended: u32) {
    let len = lens[local_index()];
    y[local_index()] = if mended == 1 {
        len - len.min(1)
    } else {
        len - 1 //~ wrap
    };
}

/// A hash that means to wrap and does not say so.
#[kernel(workgroup_size(32), threads(n))]
fn hash(x: &[u32], y: &mut [u32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        y[i] = if mended == 1 {
            x[i].wrapping_mul(2_654_435_761)
        } else {
            x[i] * 2_654_435_761 //~ wrap
        };
    }
}

/// The mean of an empty row.
#[kernel(workgroup_size(4), threads(n))]
fn mean_of_nothing(sums: &[u32], counts: &[u32], y: &mut [u32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        y[i] = sums[i] / counts[i].max(mended); //~ division
    }
}

/// A mask of 32 bits needs a shift by 32.
#[kernel(workgroup_size(4), threads(n))]
fn mask(widths: &[u32], y: &mut [u32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        y[i] = if mended == 1 {
            u32::MAX >> (32 - widths[i].max(1))
        } else {
            u32::MAX >> (32 - widths[i]) //~ shift
        };
    }
}

/// A float that no `u32` holds.
#[kernel(workgroup_size(4), threads(n))]
fn level(x: &[f32], y: &mut [u32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let v = if mended == 1 {
            x[i].clamp(0.0, 255.0)
        } else {
            x[i]
        };
        y[i] = v as u32; //~ cast
    }
}

/// The absolute value of the least integer.
#[kernel(workgroup_size(4), threads(n))]
fn opposite(x: &[i32], y: &mut [i32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        y[i] = 0 - if mended == 1 { x[i].max(-100) } else { x[i] }; //~ wrap
    }
}

planted! {
    a_product_of_more_than_32_bits: offset_past_32_bits |o, mended| offset_past_32_bits::simulate(&mut [0; 40], 40, 1 << 28, mended, o);
    one_before_the_first: before_the_first |o, mended| before_the_first::simulate(&floats(40), &mut [0.0; 40], 40, mended, o);
    a_middle_past_32_bits: middle |o, mended| middle::simulate(&[1 << 31; 4], &[1 << 31; 4], &mut [0; 4], 4, mended, o);
    one_less_than_nothing: last_of_nothing |o, mended| last_of_nothing::simulate(&[1, 0, 3, 4], &mut [0; 4], mended, o);
    a_hash_that_wraps_in_silence: hash |o, mended| hash::simulate(&(0..40).collect::<Vec<u32>>(), &mut [0; 40], 40, mended, o);
    a_mean_of_no_numbers: mean_of_nothing |o, mended| mean_of_nothing::simulate(&[4, 4, 0], &[2, 1, 0], &mut [0; 3], 3, mended, o);
    a_shift_by_32: mask |o, mended| mask::simulate(&[1, 8, 0], &mut [0; 3], 3, mended, o);
    a_cast_out_of_range: level |o, mended| level::simulate(&[1.5, -3.0, 1e10], &mut [0; 3], 3, mended, o);
    the_opposite_of_the_least: opposite |o, mended| opposite::simulate(&[1, i32::MIN, -5], &mut [0; 3], 3, mended, o);
}
