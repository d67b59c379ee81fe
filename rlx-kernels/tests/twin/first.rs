//! The simplest kernels.

use rlx_kernels::prelude::*;
use rlx_kernels::{Check, SimOptions};

#[device]
fn silu(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

/// y = silu(x) · scale
#[kernel(workgroup_size(64), threads(n))]
#[requires(x.len() >= n, y.len() >= n)]
fn scaled(x: &[f32], y: &mut [f32], n: u32, scale: f32) {
    let i = global_index();
    if i < n {
        y[i] = silu(x[i]) * scale;
    }
}

#[test]
fn a_kernel_of_plain_arithmetic_computes_what_rust_does() {
    let x: Vec<f32> = (0..100).map(|i| i as f32 / 10.0 - 5.0).collect();
    let mut y = vec![0.0; 100];
    let report = scaled::simulate(&x, &mut y, 100, 0.5, &SimOptions::thorough()).expect("it runs");
    report.assert_clean();
    let wanted: Vec<f32> = x.iter().map(|x| silu(*x) * 0.5).collect();
    assert_eq!(y, wanted);
}

#[test]
fn a_launch_that_its_requirements_refuse_is_not_simulated() {
    let error = scaled::simulate(&[1.0], &mut [0.0], 2, 1.0, &SimOptions::default());
    let text = error.expect_err("one element is too few").to_string();
    assert_eq!(
        text,
        "kernel `scaled` requires `x.len() >= n`, but x.len() = 1, n = 2"
    );
}

/// Without a guard.
#[kernel(workgroup_size(64), threads(n))]
fn unguarded(y: &mut [u32], n: u32) {
    let i = global_index();
    y[i] = i - 1;
}

#[test]
fn an_index_past_the_end_and_a_wrap_are_found_at_their_tokens() {
    let mut y = vec![0; 50];
    let report = unguarded::simulate(&mut y, 50, &SimOptions::default()).expect("it runs");
    println!("{report}");
    let out = report.of(Check::OutOfBounds).next().expect("found");
    assert_eq!(out.message, "`y[50]` is written, but `y` has 50 elements");
    assert_eq!(out.count, 14);
    let wrap = report.of(Check::Wrap).next().expect("found");
    assert_eq!(
        wrap.message,
        "`0 - 1` does not fit `u32`: it wraps to 4294967295"
    );
    assert_eq!(report.findings.len(), 2);
}
