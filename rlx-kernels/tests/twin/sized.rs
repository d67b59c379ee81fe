//! Const parameters that size the workgroup and its memory.

use rlx_kernels::prelude::*;
use rlx_kernels::{Check, SimError, SimOptions};

/// y[g] = the element `PAST` after the last of the `WIDE` of group g.
#[kernel(workgroup_size(WIDE), groups(n / WIDE))]
#[requires(x.len() >= n, y.len() >= n / WIDE, n % WIDE == 0)]
fn lasts<const WIDE: u32 = 64, const PAST: u32 = 0>(x: &[u32], y: &mut [u32], n: u32) {
    #[workgroup]
    let part: [[u32; 3]; WIDE + 1];
    let me = local_index();
    part[me][1] = x[global_index()];
    workgroup_barrier();
    if me == 0 {
        y[workgroup_index()] = part[WIDE - 1 + PAST][1];
    }
}

fn run(wide: u32, past: u32, y: &mut [u32]) -> Result<Report, SimError> {
    let x: Vec<u32> = (0..256).collect();
    let overrides = lasts::Overrides { wide, past };
    lasts::simulate_with(overrides, &x, y, 256, &SimOptions::thorough())
}

#[test]
fn a_const_parameter_sizes_the_workgroup_and_its_memory_as_on_a_device() {
    for wide in [1, 16, 64, 256] {
        let mut y = vec![0; 256 / wide as usize];
        run(wide, 0, &mut y).expect("it runs").assert_clean();
        let wanted: Vec<u32> = (1..=256 / wide).map(|group| group * wide - 1).collect();
        assert_eq!(y, wanted);
    }
}

#[test]
fn an_index_past_an_array_that_a_const_parameter_sizes_is_found_with_its_length() {
    let report = run(16, 2, &mut [0; 16]).expect("it runs");
    let found: Vec<&str> = report
        .of(Check::OutOfBounds)
        .map(|finding| &*finding.message)
        .collect();
    assert_eq!(found, ["`part[17]` is read, but `part` has 17 elements"]);
    let report = run(16, 1, &mut [0; 16]).expect("it runs");
    let found: Vec<&str> = report
        .of(Check::Uninitialised)
        .map(|finding| &*finding.message)
        .collect();
    assert_eq!(
        found,
        ["`part[16][1]` is read, but no invocation of the workgroup has written it"]
    );
}

#[test]
fn a_workgroup_or_an_array_that_no_device_holds_is_an_error_that_says_how_large_it_is() {
    let error = run(2048, 0, &mut []).expect_err("256 are no multiple of 2048");
    assert!(matches!(error, SimError::Dispatch(_)), "{error}");
    let x = vec![0; 1 << 20];
    let overrides = lasts::Overrides {
        wide: 1 << 20,
        past: 0,
    };
    let options = SimOptions::default();
    let error = lasts::simulate_with(overrides, &x, &mut [0], 1 << 20, &options);
    let text = error.expect_err("12 MiB of workgroup memory").to_string();
    assert_eq!(
        text,
        "the const parameters of kernel `lasts` give `part` 1048577 elements; the twin holds 1 to as many as fit \
         1048576 bytes"
    );
}
