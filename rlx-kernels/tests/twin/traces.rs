//! `trace!`

use rlx_kernels::SimOptions;
use rlx_kernels::prelude::*;

#[device]
fn half(x: f32) -> f32 {
    trace!(x);
    x * 0.5
}

/// y[i] = x[i] / 2
#[kernel(workgroup_size(2), threads(n))]
fn halve(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = half(x[i]);
        trace!(vec2(i, n));
    }
}

#[test]
fn values_are_shown_with_their_invocation_and_line() {
    let mut y = [0.0; 3];
    let report = halve::simulate(&[1.0, 2.5, 4.0], &mut y, 3, &SimOptions::default());
    let report = report.expect("it runs");
    let shown: Vec<String> = report.traces.iter().map(ToString::to_string).collect();
    let wanted = [
        "[rlx-kernels/tests/twin/traces.rs:8:5] invocation 0 of workgroup 0: x = 1.0",
        "[rlx-kernels/tests/twin/traces.rs:8:5] invocation 1 of workgroup 0: x = 2.5",
        "[rlx-kernels/tests/twin/traces.rs:18:9] invocation 0 of workgroup 0: vec2(..) = [0, 3]",
        "[rlx-kernels/tests/twin/traces.rs:18:9] invocation 1 of workgroup 0: vec2(..) = [1, 3]",
        "[rlx-kernels/tests/twin/traces.rs:8:5] invocation 0 of workgroup 1: x = 4.0",
        "[rlx-kernels/tests/twin/traces.rs:18:9] invocation 0 of workgroup 1: vec2(..) = [2, 3]",
    ];
    assert_eq!(shown, wanted);
    assert_eq!(y, [0.5, 1.25, 2.0]);
    assert!(!halve::info().wgsl.contains("trace"), "a GPU shows nothing");
}
