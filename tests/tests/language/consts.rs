//! Const parameters of kernels: overrides, declared values, and instances of several parameters.

use super::gpu;
use rlx_backends::wgpu::DeviceError;
use rlx_conformance::devices::{Outcome, every_device};
use rlx_kernels::prelude::*;
use rlx_kernels::{DispatchError, kernel::BindingSet};

/// y[g] = Σ of the WIDE · 2 elements of group g, added SHIFT times over; negated where SIGN.
#[kernel(workgroup_size(WIDE * 2), groups(n.div_ceil(WIDE * 2)))]
#[requires(x.len() >= n, n % (WIDE * 2) == 0)]
fn group_sums<const WIDE: u32 = 16, const TIMES: i32 = 1, const SIGN: bool = false>(
    x: &[u32],
    y: &mut [i32],
    n: u32,
) {
    #[workgroup]
    let part: [u32; WIDE * 2];
    let me = local_index();
    part[me] = x[global_index()];
    workgroup_barrier();
    if me == 0 {
        let mut sum = 0;
        for i in 0..WIDE {
            sum += part[i] + part[i + WIDE];
        }
        sum += total_len(&part) - 2 * WIDE;
        let times = sum as i32 * TIMES;
        y[workgroup_index()] = if SIGN { -times } else { times };
    }
}

#[device]
fn total_len(x: &[u32]) -> u32 {
    x.len()
}

#[test]
fn an_override_sizes_the_workgroup_its_memory_and_the_grid() -> Outcome {
    let x: Vec<u32> = (0..256).collect();
    let sums = |size: usize| x.chunks(size).map(|chunk| chunk.iter().sum::<u32>() as i32);
    for device in every_device() {
        let input = device.upload(&x)?;
        let mut output = device.alloc::<i32>(8)?;
        let run = group_sums::launch(&input, &mut output, 256)?;
        assert_eq!(
            (run.grid, run.overrides.as_slice()),
            ([8, 1, 1], &[16, 1, 0][..])
        );
        device.run(&run)?;
        let wanted: Vec<i32> = sums(32).collect();
        assert_eq!(device.download(&output)?, wanted);

        for wide in [4, 32] {
            let values = group_sums::Overrides {
                wide,
                times: -3,
                sign: true,
            };
            let groups = 128 / wide;
            let mut output = device.alloc::<i32>(groups.into())?;
            let run = group_sums::launch_with(values, &input, &mut output, 256)?;
            assert_eq!(run.grid, [groups, 1, 1]);
            device.run(&run)?;
            let wanted: Vec<i32> = sums(2 * wide as usize).map(|sum| 3 * sum).collect();
            assert_eq!(device.download(&output)?, wanted);
        }
    }
    Ok(())
}

#[test]
fn overrides_are_listed_with_their_defaults_and_printed_as_wgsls() {
    let info = group_sums::info();
    let listed: Vec<_> = info.overrides.iter().collect();
    let named = |index: usize| {
        (
            &*listed[index].name,
            &*listed[index].ty,
            listed[index].default,
        )
    };
    assert_eq!(named(0), ("WIDE", "u32", 16));
    assert_eq!(named(1), ("TIMES", "i32", 1));
    assert_eq!(named(2), ("SIGN", "bool", 0));
    assert_eq!(
        (info.workgroup_size, info.workgroup_bytes),
        ([32, 1, 1], 128)
    );
    let wgsl = info.wgsl(BindingSet::NONE);
    for line in [
        "override WIDE: u32 = 16u;",
        "override SIGN: bool = false;",
        "var<workgroup> part: array<u32, WIDE * 2u>;",
        "@compute @workgroup_size(WIDE * 2u)",
        "i < WIDE; i++",
    ] {
        assert!(wgsl.contains(line), "{line} is not in\n{wgsl}");
    }
}

#[test]
fn values_that_no_device_can_run_are_errors_that_name_them() {
    let gpu = gpu();
    let input = gpu.upload(&vec![1_u32; 8192]).expect("it uploads");
    let mut output = gpu.alloc::<i32>(8192).expect("it allocates");
    let wide = |wide| group_sums::Overrides {
        wide,
        ..group_sums::Overrides::default()
    };
    let error = group_sums::launch_with(wide(3), &input, &mut output, 256).expect_err("6 ∤ 256");
    assert_eq!(
        error.to_string(),
        "kernel `group_sums` requires `n % (WIDE * 2) == 0`, but n = 256, WIDE = 3"
    );
    let run = group_sums::dispatch_with(
        wide(4096),
        group_sums::info(),
        [input.handle().clone(), output.handle().clone()],
        group_sums::Params::new(8192),
    );
    let error = gpu
        .run(&run.expect("a grid"))
        .expect_err("8192 invocations");
    assert!(
        matches!(error, DeviceError::Limit { need: 8192, .. }),
        "{error}"
    );
    let info = group_sums::info();
    assert_eq!(info.workgroup_size_with(&[0, 1, 0]), None);
    let mut run = group_sums::launch(&input, &mut output, 256).expect("a grid");
    run.overrides = vec![1];
    let error = gpu.run(&run).expect_err("two values are missing");
    let DeviceError::Dispatch(error) = error else {
        panic!("{error}");
    };
    assert!(matches!(
        error,
        DispatchError::OverrideCount {
            expected: 3,
            found: 1,
            ..
        }
    ));
}

/// y[i] = Σ of rows i · ROWS .. i · ROWS + ROWS of a matrix of `k` columns in format F.
#[kernel(workgroup_size(WIDE), threads(n.div_ceil(ROWS)), instances(F in [super::generics::Byte, super::generics::SignedByte], ROWS in [1, 2, 4]))]
#[requires(n % ROWS == 0, w.blocks() >= n)]
fn row_sums<F: BlockFormat, const ROWS: u32, const WIDE: u32 = 32>(
    w: &[Packed<F>],
    y: &mut [f32],
    n: u32,
) {
    let first = global_index() * ROWS;
    let mut sums = [0.0; ROWS as usize];
    if first < n {
        #[unroll]
        for r in 0..ROWS {
            for i in 0..F::ELEMS {
                sums[r] += F::decode(w.block(first + r), i);
            }
        }
        #[unroll]
        for r in 0..ROWS {
            y[first + r] = sums[r];
        }
    }
}

#[test]
fn declared_numbers_and_formats_make_an_instance_each() {
    use super::generics::{Byte, SignedByte};

    let labels: Vec<_> = row_sums::instances()
        .iter()
        .map(|kernel| kernel.instance.to_string())
        .collect();
    let wanted = [
        "BYTE, ROWS=1",
        "BYTE, ROWS=2",
        "BYTE, ROWS=4",
        "SBYTE, ROWS=1",
        "SBYTE, ROWS=2",
        "SBYTE, ROWS=4",
    ];
    assert_eq!(labels, wanted);

    let gpu = gpu();
    let bytes: Vec<u8> = (0..512).map(|i| (i * 7 % 256) as u8).collect();
    let a = gpu.upload_packed::<Byte>(&bytes).expect("it uploads");
    let mut y = gpu.alloc::<f32>(8).expect("it allocates");
    let run = row_sums::launch::<Byte, 2, _>(&a, &mut y, 8).expect("a grid");
    gpu.run(&run).expect("it runs");
    let sums = |size| bytes.chunks(size);
    let wanted: Vec<f32> = sums(32)
        .take(8)
        .map(|block| block.iter().map(|byte| f32::from(*byte)).sum())
        .collect();
    assert_eq!(gpu.download(&y).expect("it downloads"), wanted);

    let b = gpu.upload_packed::<SignedByte>(&bytes).expect("it uploads");
    let values = row_sums::Overrides { wide: 1 };
    let run = row_sums::launch_with::<SignedByte, 4, _>(values, &b, &mut y, 8).expect("a grid");
    assert_eq!(run.grid, [2, 1, 1]);
    gpu.run(&run).expect("it runs");
    let wanted: Vec<f32> = sums(64)
        .map(|block| block.iter().map(|byte| f32::from(*byte as i8) * 0.5).sum())
        .collect();
    assert_eq!(gpu.download(&y).expect("it downloads"), wanted);

    let kernel = row_sums::instance("SBYTE, ROWS=4").expect("an instance");
    let handles = [b.handle().clone(), y.handle().clone()];
    let run = row_sums::dispatch(kernel, handles, row_sums::Params::new(8)).expect("a grid");
    assert_eq!(run.grid, [1, 1, 1]);
    let handles = [b.handle().clone(), y.handle().clone()];
    let error = row_sums::dispatch(kernel, handles, row_sums::Params::new(6));
    assert!(error.is_err(), "6 rows are no whole number of fours");
}

/// y = (x + x) · HALVES / 2
#[kernel(workgroup_size(64), threads(n), instances(T in [f32, f16], HALVES in [1, 3]))]
fn doubled<T: Float, const HALVES: u32>(x: &[T], v: &[Vec4<T>], y: &mut [T], n: u32) {
    let i = global_index();
    if i < n {
        let sum = x[i] + x[i] + v[i / 4].x - v[i / 4].x;
        y[i] = sum * T::from_f32(HALVES as f32 / 2.0);
    }
}

#[test]
fn a_kernel_over_floats_has_an_instance_a_float() {
    let gpu = gpu();
    let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let v: Vec<Vec4<f32>> = vec![Vec4::splat(8.0); 16];
    let (a, b) = (gpu.upload(&x).expect("up"), gpu.upload(&v).expect("up"));
    let mut y = gpu.alloc::<f32>(64).expect("it allocates");
    let run = doubled::launch::<f32, 3, _>(&a, &b, &mut y, 64).expect("a grid");
    gpu.run(&run).expect("it runs");
    let wanted: Vec<f32> = x.iter().map(|x| 3.0 * x).collect();
    assert_eq!(gpu.download(&y).expect("it downloads"), wanted);

    let x: Vec<f16> = x.iter().map(|x| f16::from_f32(*x)).collect();
    let v: Vec<Vec4<f16>> = vec![Vec4::splat(f16::ONE); 16];
    let (a, b) = (gpu.upload(&x).expect("up"), gpu.upload(&v).expect("up"));
    let mut y = gpu.alloc::<f16>(64).expect("it allocates");
    let run = doubled::launch::<f16, 1, _>(&a, &b, &mut y, 64).expect("a grid");
    gpu.run(&run).expect("it runs");
    assert_eq!(gpu.download(&y).expect("it downloads"), x);
    assert!(
        doubled::instance("f16, HALVES=3")
            .expect("one")
            .features
            .f16
    );
    assert!(
        !doubled::instance("f32, HALVES=3")
            .expect("one")
            .features
            .f16
    );
}
