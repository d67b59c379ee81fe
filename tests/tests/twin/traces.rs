//! `trace!` on a device, on request: what the twin shows.

use rlx_conformance::devices::gpu;
use rlx_kernels::prelude::*;
use rlx_kernels::simulate::{Report, Trace};
use rlx_kernels::{Buffer, SimOptions, kernel::BindingSet};

#[device]
fn third<T: Float>(x: T) -> T {
    trace!(x);
    x * T::from_f32(0.25)
}

#[device]
fn first(x: &[f32], at: u32) -> f32 {
    trace!(x[at]);
    trace!(local_index() + at);
    x[at]
}

/// y[i] = what is made of x[i]; every kind of value is told.
#[kernel(workgroup_size(WIDE, 2), threads(n, 2))]
#[requires(x.len() >= n * 2, y.len() >= n * 2, n % WIDE == 0)]
fn told<const WIDE: u32 = 4>(x: &[f32], y: &mut [f32], n: u32, bias: i32) {
    #[workgroup]
    let tile: [f32; WIDE * 2];
    let at = global_id();
    let i = at.x + at.y * n;
    tile[local_index()] = third(x[i]);
    workgroup_barrier();
    trace!(bias);
    trace!(vec2(i, n));
    trace!(x[i] > 0.0);
    if at.x % 2 == 1 {
        trace!(tile[local_index()] - 0.5);
        trace!(third(f16::from_f32(x[i])));
        trace!((i as i64 - 5) * 5_000_000_000);
        trace!(vec3(x[i], 1.0, -2.5).zxy());
    }
    #[unroll]
    for step in 0..2 {
        trace!(i + step);
    }
    let old = first(x, i) + first(&tile, 0);
    y[i] = old;
}

const N: u32 = 8;

fn numbers() -> Vec<f32> {
    (0..2 * N as u8)
        .map(|i| (f32::from(i) - 6.0) * 1.5)
        .collect()
}

fn on_the_twin(overrides: told::Overrides, y: &mut [f32]) -> Report {
    let options = SimOptions::default();
    let report = told::simulate_with(overrides, &numbers(), y, N, -7, &options);
    report.unwrap_or_else(|error| panic!("{error}"))
}

/// The traces in an order of their own.
fn sorted(traces: &[Trace]) -> Vec<String> {
    let mut texts: Vec<String> = traces.iter().map(ToString::to_string).collect();
    texts.sort_unstable();
    texts
}

#[test]
fn a_device_shows_the_values_that_the_twin_shows() {
    let gpu = gpu();
    let x = gpu.upload(&numbers()).expect("it uploads");
    for wide in [4, 2] {
        let overrides = told::Overrides { wide };
        let mut wanted = vec![0.0; 2 * N as usize];
        let report = on_the_twin(overrides, &mut wanted);
        report.assert_clean();
        let mut y = gpu.alloc::<f32>(2 * u64::from(N)).expect("it allocates");
        let run = told::launch_with(overrides, &x, &mut y, N, -7).expect("a grid");
        let found = gpu
            .run_traced(&run, 1000)
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found.dropped, 0);
        assert_eq!(sorted(&found.traces), sorted(&report.traces));
        assert_eq!(gpu.download(&y).expect("it downloads"), wanted);
    }
}

#[test]
fn an_invocations_values_are_in_its_own_order() {
    let gpu = gpu();
    let x = gpu.upload(&numbers()).expect("it uploads");
    let mut y = gpu.alloc::<f32>(2 * u64::from(N)).expect("it allocates");
    let run = told::launch(&x, &mut y, N, -7).expect("a grid");
    let found = gpu
        .run_traced(&run, 1000)
        .unwrap_or_else(|error| panic!("{error}"));
    let of_one = |traces: &[Trace]| -> Vec<String> {
        let (workgroup, local) = ([1, 0, 0], [3, 1, 0]);
        let of = traces
            .iter()
            .filter(|trace| (trace.who.workgroup, trace.who.local) == (workgroup, local));
        of.map(|trace| format!("{} = {}", trace.what, trace.value))
            .collect()
    };
    let wanted = [
        "x = 13.5",
        "bias = -7",
        "vec2(..) = [15, 8]",
        "x[i] > 0.0 = true",
        "tile[local_index()] - 0.5 = 2.875",
    ];
    let found = of_one(&found.traces);
    assert_eq!(found[..5], wanted);
    assert_eq!(
        found,
        of_one(&on_the_twin(told::Overrides::default(), &mut [0.0; 16]).traces)
    );
}

#[test]
fn values_that_find_no_room_are_counted() {
    let gpu = gpu();
    let x = gpu.upload(&numbers()).expect("it uploads");
    let mut y = gpu.alloc::<f32>(2 * u64::from(N)).expect("it allocates");
    let run = told::launch(&x, &mut y, N, -7).expect("a grid");
    let all = gpu
        .run_traced(&run, 1000)
        .unwrap_or_else(|error| panic!("{error}"));
    let few = gpu
        .run_traced(&run, 3)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(few.traces.len(), 3);
    assert_eq!(few.dropped, all.traces.len() as u64 - 3);
    let said = format!(
        "3 values, and {} that found no room: ask for more",
        few.dropped
    );
    assert!(few.to_string().ends_with(&said), "{few}");
}

/// y[i] = x[i]
#[kernel(workgroup_size(4), threads(n))]
fn silent(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[i];
    }
}

#[test]
fn a_kernel_without_traces_shows_nothing_and_has_one_text() {
    assert!(silent::info().traced.is_none());
    let gpu = gpu();
    let x: Buffer<f32, _> = gpu.upload(&[2.0; 4]).expect("it uploads");
    let mut y = gpu.alloc::<f32>(4).expect("it allocates");
    let run = silent::launch(&x, &mut y, 4).expect("a grid");
    let found = gpu
        .run_traced(&run, 10)
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(found.traces.is_empty());
    assert_eq!(gpu.download(&y).expect("it downloads"), [2.0; 4]);
}

#[test]
fn a_plain_run_has_no_trace_of_them_and_the_traced_text_reads_like_one_by_hand() {
    let plain = told::info();
    assert!(!plain.wgsl.contains("trace"), "{}", plain.wgsl);
    let traced = plain.with_traces().expect("it has traces");
    let text = traced.wgsl(BindingSet::NONE);
    for line in [
        "@group(0) @binding(2) var<storage, read_write> trace: array<atomic<u32>>;",
        "@group(0) @binding(3) var<uniform> params: Params;",
        "    let traced_1: vec2u = vec2u(i, params.n);",
        "    trace_record(1u, workgroup_id, local_index, traced_1.x, traced_1.y, 0u);",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}
