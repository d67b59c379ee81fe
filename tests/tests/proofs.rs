//! What the compiler proves of indices and loops, and what becomes of it where kernels run.

use rlx_backends::wgpu::DeviceError;
use rlx_conformance::devices::gpu;
use rlx_core::lower::sample_region;
use rlx_kernels::prelude::*;
use rlx_kernels::{DispatchError, Proof};

#[kernel(workgroup_size(64), threads(n))]
#[requires(x.len() >= n, y.len() >= n)]
fn twice(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = 2.0 * x[i];
    }
}

/// `x` may be shorter than `y`: nothing says otherwise.
#[kernel(workgroup_size(64), threads(n))]
#[requires(y.len() >= n)]
fn loose(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[i];
    }
}

const LOOSE_INDEX: (u32, u32) = (line!() - 4, 18);

/// A tile of a size that is chosen later, turned round.
#[kernel(workgroup_size(SIZE), threads(n))]
#[requires(x.len() >= n, y.len() >= n)]
fn turned<const SIZE: u32 = 64>(x: &[u32], y: &mut [u32], n: u32) {
    #[workgroup]
    let tile: [u32; SIZE];
    let i = global_index();
    let me = local_index();
    if i < n {
        tile[me] = x[i];
    }
    workgroup_barrier();
    let first = i - me;
    if i < n && first + SIZE <= n {
        y[i] = tile[SIZE - 1 - me];
    }
}

/// Nothing shows that this ends.
#[kernel(workgroup_size(64), threads(n))]
#[requires(y.len() >= n)]
fn collatz(y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        let mut at = i + 1;
        let mut steps = 0;
        while at != 1 {
            at = if at % 2 == 0 { at / 2 } else { 3 * at + 1 };
            steps += 1;
        }
        y[i] = steps;
    }
}

/// Its last range ends past the last value of its type.
#[kernel(workgroup_size(64), threads(n))]
#[requires(y.len() >= n)]
fn to_the_last(y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        let mut rounds = 0;
        for _ in i..=i.min(99) {
            rounds += 1;
        }
        for _ in (u32::MAX - i % 5)..=u32::MAX {
            rounds += 1;
        }
        y[i] = rounds;
    }
}

#[test]
fn every_index_and_loop_of_the_shipped_kernels_is_proved() {
    let regions = kernel_specs::elementwise::OPS
        .iter()
        .map(|op| sample_region(op).expect("an operator alone is a kernel"));
    let mut count = 0;
    for kernel in kernel_specs::kernels().cloned().chain(regions) {
        let (indices, loops) = (kernel.proof.indices(), kernel.proof.loops());
        assert!(
            kernel.proof.holds_for_indices(),
            "{}: {indices:?}",
            kernel.label()
        );
        assert!(
            kernel.proof.holds_for_loops(),
            "{}: {loops:?}",
            kernel.label()
        );
        assert!(kernel.proof.is_of(&kernel), "{}", kernel.label());
        count += 1;
    }
    assert!(count > 150, "{count} kernels");
}

#[test]
fn an_unproved_index_is_named_by_file_line_and_column() {
    let proof = &loose::info().proof;
    let [open] = proof.indices() else {
        panic!("{:?}", proof.indices());
    };
    assert_eq!((open.line, open.column), LOOSE_INDEX);
    assert!(open.file.ends_with("proofs.rs"), "{}", open.file);
    assert_eq!(open.reason, "nothing keeps it below the length of `x`");
    let facts = loose::info().facts();
    let line = format!("proofs.rs:{}:{} nothing keeps it", open.line, open.column);
    assert!(facts.contains(&line), "{facts}");
}

#[test]
fn a_loop_of_which_nothing_shows_that_it_ends_is_named() {
    let proof = &collatz::info().proof;
    assert!(proof.holds_for_indices(), "{:?}", proof.indices());
    let [open] = proof.loops() else {
        panic!("{:?}", proof.loops());
    };
    assert_eq!(
        open.reason,
        "nothing shows that its condition stops holding"
    );
}

#[test]
fn a_range_to_the_last_value_is_not_proved_to_end() {
    let proof = &to_the_last::info().proof;
    assert!(proof.holds_for_indices(), "{:?}", proof.indices());
    let [open] = proof.loops() else {
        panic!("{:?}", proof.loops());
    };
    let reason = "its counter may pass the last value of its type, and begin anew";
    assert_eq!(open.reason, reason);
}

#[test]
fn a_proof_holds_for_every_value_of_an_override() {
    let proof = &turned::info().proof;
    assert!(proof.holds_for_indices(), "{:?}", proof.indices());
    assert!(proof.holds_for_loops(), "{:?}", proof.loops());
}

#[test]
fn a_proof_is_of_one_text() {
    let mut kernel = twice::info().clone();
    assert!(kernel.proof.is_of(&kernel));
    kernel.wgsl = kernel.wgsl.replace("i < params.n", "i < 4000000u").into();
    assert!(!kernel.proof.is_of(&kernel));
    kernel.proof = loose::info().proof.clone();
    assert!(!kernel.proof.is_of(&kernel));
    assert!(!Proof::NONE.holds_for_indices() && !Proof::NONE.holds_for_loops());
}

#[test]
fn a_dispatch_that_was_changed_is_held_to_the_requirements() {
    let gpu = gpu();
    let x = gpu.upload(&[1.0_f32; 64]).unwrap();
    let mut y = gpu.alloc::<f32>(64).unwrap();
    let mut dispatch = twice::launch(&x, &mut y, 64).unwrap();
    dispatch.params = 65_u32.to_le_bytes().to_vec();
    let error = gpu.run(&dispatch).unwrap_err();
    let DeviceError::Dispatch(DispatchError::Requires {
        condition, values, ..
    }) = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(condition, "x.len() >= n");
    assert!(
        values.contains("n = 65") && values.contains("64"),
        "{values}"
    );
    dispatch.params = 63_u32.to_le_bytes().to_vec();
    gpu.run(&dispatch).unwrap();
    let mut expected = [2.0_f32; 64];
    expected[63] = 0.0;
    assert_eq!(gpu.download(&y).unwrap(), expected);
}

#[test]
fn what_is_not_proved_runs_with_checks() {
    let gpu = gpu();
    let x = gpu.upload(&[7_u32; 4]).unwrap();
    let mut y = gpu.alloc::<u32>(64).unwrap();
    gpu.run(&loose::launch(&x, &mut y, 64).unwrap()).unwrap();
    let y = gpu.download(&y).unwrap();
    // Past its end a checked read gives some element of the slice, or zero.
    assert_eq!(y[..4], [7; 4]);
    assert!(y.iter().all(|y| [0, 7].contains(y)), "{y:?}");
}

#[test]
fn an_unchecked_kernel_gives_what_a_checked_one_does() {
    let gpu = gpu();
    let values: Vec<u32> = (0..200).collect();
    let x = gpu.upload(&values).unwrap();
    for size in [1_u32, 32, 64] {
        let mut y = gpu.alloc::<u32>(200).unwrap();
        let values = turned::Overrides { size };
        let dispatch = turned::launch_with(values, &x, &mut y, 200).unwrap();
        gpu.run(&dispatch).unwrap();
        let expected = (0..200_u32).map(|i| {
            let first = i / size * size;
            let is_whole = first + size <= 200;
            if is_whole {
                first + size - 1 - i % size
            } else {
                0
            }
        });
        assert_eq!(
            gpu.download(&y).unwrap(),
            expected.collect::<Vec<_>>(),
            "{size}"
        );
    }
}
