//! Numbers that are none.

use rlx_kernels::prelude::*;

use crate::{floats, planted};

/// Powers that no f32 holds: the maximum is not taken off first.
#[kernel(workgroup_size(4), threads(n))]
fn softmax_of_large(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let most = if mended == 1 { 100.0 } else { 0.0 };
        y[i] = (x[i] - most).exp(); //~ not-finite
    }
}

/// The norm of zeros.
#[kernel(workgroup_size(4), threads(n))]
fn norm_of_zeros(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let square = x[i] * x[i];
        let eps = if mended == 1 { 1e-6 } else { 0.0 };
        y[i] = x[i] / (square + eps).sqrt(); //~ not-finite
    }
}

/// A variance that rounding has made negative.
#[kernel(workgroup_size(4), threads(n))]
fn negative_variance(squares: &[f32], means: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let mut variance = squares[i] - means[i] * means[i];
        if mended == 1 {
            variance = variance.max(0.0);
        }
        y[i] = variance.sqrt(); //~ not-finite
    }
}

/// The logarithm of a probability of zero.
#[kernel(workgroup_size(4), threads(n))]
fn entropy(p: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let floor = if mended == 1 { 1e-30 } else { 0.0 };
        y[i] = -p[i] * p[i].max(floor).ln(); //~ not-finite
    }
}

/// A sum of squares past the largest f32.
#[kernel(workgroup_size(4), threads(n))]
fn large_squares(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    let i = global_index();
    if i < n {
        let v = if mended == 1 { x[i] * 1e-20 } else { x[i] };
        y[i] = v * v; //~ not-finite
    }
}

planted! {
    a_power_that_no_float_holds: softmax_of_large |o, mended| softmax_of_large::simulate(&[1.0, 99.0], &mut [0.0; 2], 2, mended, o);
    a_norm_of_nothing: norm_of_zeros |o, mended| norm_of_zeros::simulate(&[1.0, 0.0], &mut [0.0; 2], 2, mended, o);
    a_root_of_a_negative_number: negative_variance |o, mended| negative_variance::simulate(&floats(2), &[1.0, 2.0], &mut [0.0; 2], 2, mended, o);
    a_logarithm_of_zero: entropy |o, mended| entropy::simulate(&[0.5, 0.0], &mut [0.0; 2], 2, mended, o);
    a_square_that_no_float_holds: large_squares |o, mended| large_squares::simulate(&[1.0, 1e20], &mut [0.0; 2], 2, mended, o);
}
