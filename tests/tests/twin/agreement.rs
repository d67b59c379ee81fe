//! A device held to the twin, with no tolerance of the author's.

use rlx_backends::wgpu::{Agreement, AgreementError, agree};
use rlx_conformance::browser::Value;
use rlx_conformance::cases::cases;
use rlx_conformance::devices::gpu;
use rlx_core::Precision;
use rlx_kernels::prelude::*;
use rlx_kernels::{Check, Dispatch, SimOptions};

#[test]
fn an_adapter_lies_within_what_wgsl_allows_of_the_twin() {
    let context = gpu();
    let mut compared = 0;
    for case in cases() {
        let [dispatch] = case.dispatches.as_slice() else {
            continue;
        };
        let options = context.capabilities().lowering(Precision::Exact);
        if !options.has(&dispatch.kernel) {
            continue;
        }
        let buffers: Vec<Vec<u8>> = case
            .values
            .iter()
            .map(|value| match value {
                Value::Given(bytes) => {
                    let mut bytes = bytes.clone();
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                    bytes
                }
                Value::Written(bytes) => vec![0; *bytes],
                Value::InPlaceOf(_) => Vec::new(),
            })
            .collect();
        // A format's scales may be NaN or huge: that is the data's affair.
        let options = SimOptions::default().allow(Check::NotFinite);
        let agreement = agree(dispatch, &buffers, &options, std::slice::from_ref(&context));
        match agreement {
            Ok(agreement) => print!("{agreement}"),
            Err(error) => panic!("{}: {error}", case.label),
        }
        compared += 1;
    }
    assert!(compared > 50, "{compared} dispatches were compared");
}

/// Runs a dispatch that binds `x` and as many words of zeros.
fn hold(dispatch: &Dispatch<usize>, x: &[f32]) -> Result<Agreement, AgreementError> {
    let buffers = [bytemuck::cast_slice(x).to_vec(), vec![0; 4 * x.len()]];
    agree(dispatch, &buffers, &SimOptions::default(), &[gpu()])
}

/// y[i] = the sum of the subgroup of i, and how many it has.
#[kernel(workgroup_size(64), threads(n))]
fn sums(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = subgroup_add(x[i] * 0.1) + subgroup_size() as f32;
}

#[test]
fn a_device_is_held_to_the_twin_of_its_own_subgroup_size() {
    let x: Vec<f32> = (0..128_u8).map(f32::from).collect();
    let run = sums::dispatch(sums::info(), [0, 1], sums::Params::new(128)).expect("a grid");
    let agreement = hold(&run, &x).unwrap_or_else(|error| panic!("{error}"));
    let (least, most) = gpu().capabilities().subgroup_size.expect("subgroups");
    let device = &agreement.devices[0];
    let size = device.subgroup_size.expect("it makes a difference here");
    assert!((least..=most).contains(&size), "{size}");
    assert_eq!(device.outputs[0].count, 128);
    assert!(
        agreement
            .to_string()
            .contains(&format!(", subgroups of {size}: `y`, 128 elements"))
    );
}

/// y[i] = the sum of the subgroup of i in f16, and the sum of those before i.
#[kernel(workgroup_size(64), threads(n))]
fn half_sums(x: &[f16], y: &mut [f16], n: u32) {
    let i = global_index();
    y[2 * i] = subgroup_add(x[i]);
    y[2 * i + 1] = subgroup_exclusive_add(x[i]);
}

#[test]
fn a_sum_of_halves_is_held_to_the_units_of_halves() {
    // Tenths: each partial sum is rounded, and a device may add in another order.
    let x: Vec<f16> = (1..=128_u8)
        .map(|i| f16::from_f32(f32::from(i) * 0.1))
        .collect();
    let run = half_sums::dispatch(half_sums::info(), [0, 1], half_sums::Params::new(128));
    let buffers = [bytemuck::cast_slice(&x).to_vec(), vec![0; 512]];
    let run = run.expect("a grid");
    let agreement = agree(&run, &buffers, &SimOptions::default(), &[gpu()])
        .unwrap_or_else(|error| panic!("{error}"));
    let output = &agreement.devices[0].outputs[0];
    assert_eq!(output.count, 256);
    // Thirty-two sums below 1,024 round by half a unit each: far above the bound of f32.
    assert!(output.bound > 1e-2, "{output:?}");
}

/// y[i] = 1 where √x is below 2, else 0.
#[kernel(workgroup_size(64), threads(n))]
fn small(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = if x[i].sqrt() < 2.0 { 1.0 } else { 0.0 };
    }
}

#[test]
fn comparisons_that_a_device_may_decide_otherwise_are_told_with_their_line_and_operands() {
    let run = small::dispatch(small::info(), [0, 1], small::Params::new(3)).expect("a grid");
    let agreement = hold(&run, &[1.0, 4.0, 9.0]).unwrap_or_else(|error| panic!("{error}"));
    let [undecided] = &agreement.devices[0].undecided[..] else {
        panic!("{agreement}");
    };
    assert_eq!((undecided.operands, undecided.count), ([2.0, 2.0], 1));
    assert_eq!(undecided.who.local_index, 1);
    let text = agreement.to_string();
    assert!(
        text.contains("undecided: [tests/tests/twin/agreement.rs:"),
        "{text}"
    );
    assert!(
        text.contains("invocation 1 of workgroup 0 compares 2.0 with 2.0"),
        "{text}"
    );
    let clear = hold(&run, &[1.0, 4.5, 9.0]).unwrap_or_else(|error| panic!("{error}"));
    assert!(clear.devices[0].undecided.is_empty(), "{clear}");
}

/// y[i] = x[⌊√x[i]⌋]
#[kernel(workgroup_size(64), threads(n))]
fn looked_up(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[x[i].sqrt() as u32];
    }
}

#[test]
fn an_element_that_a_float_on_the_edge_of_two_integers_chose_has_no_bound() {
    let run = looked_up::dispatch(looked_up::info(), [0, 1], looked_up::Params::new(3));
    let error = hold(&run.expect("a grid"), &[1.5, 4.0, 2.5]).expect_err("√4 may be below 2");
    let AgreementError::Unbounded { index, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(index, 1);
}
