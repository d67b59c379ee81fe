//! Integers of 64 bits on a device, against the same body compiled by rustc.

use rlx_backends::wgpu::{Context, ContextOptions, DeviceError};
use rlx_kernels::kernel::BindingSet;
use rlx_kernels::prelude::*;

use crate::{every_device, words};

/// All operators, casts, literals and methods.
#[device]
pub fn wide(a: u64, b: u64) -> u64 {
    let x = a as i64;
    let mut sum = a.wrapping_mul(b).wrapping_add(0xffff_ffff_ffff_ffff);
    sum ^= (a << 40) | (b >> 13) & !a;
    sum = sum.wrapping_sub((x >> 5) as u64);
    if a > b && x != i64::MIN {
        sum = sum.wrapping_add((a - b) / (b | 1));
    }
    for i in 3_000_000_000u64..3_000_000_007 {
        sum ^= i.wrapping_mul(i);
    }
    let v = vec2(a, b) ^ vec2(b, 1);
    sum = sum
        .wrapping_add(v.x % 1000)
        .wrapping_add((v.y as u32) as u64);
    sum = sum.wrapping_add(a.max(b).min(u64::MAX) % 977);
    sum ^ (x % 1000).abs() as u64 ^ ((a as f32) as u64 >> 60) ^ (((b as u32) as i32) as i64) as u64
}

/// Slices, params and workgroup memory of 64 bits.
#[kernel(workgroup_size(64), threads(n))]
fn over_wide(x: &[u64], y: &mut [u64], z: &mut [i64], n: u32, add: u64, by: i64) {
    #[workgroup]
    let tile: [u64; 64];
    let i = global_index();
    if i < n {
        tile[local_index()] = x[i];
    }
    workgroup_barrier();
    if i < n {
        y[i] = wide(tile[local_index()], x[(i + 1) % n]).wrapping_add(add);
        z[i] = (x[i] as i64 / 7) * by - 5;
    }
}

#[test]
fn integers_of_64_bits_give_rustcs_bits() {
    for gpu in every_device() {
        let n = 1000;
        let x: Vec<u64> = words(2 * n)
            .chunks(2)
            .map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1]))
            .collect();
        let (add, by) = (u64::MAX - 3, -3);
        let input = gpu.upload(&x).expect("it uploads");
        let mut y = gpu.alloc::<u64>(u64::from(n)).expect("it allocates");
        let mut z = gpu.alloc::<i64>(u64::from(n)).expect("it allocates");
        let run = over_wide::launch(&input, &mut y, &mut z, n, add, by).expect("a grid");
        gpu.run(&run).expect("it runs");
        let (y, z) = (gpu.download(&y), gpu.download(&z));
        let (y, z) = (y.expect("it downloads"), z.expect("it downloads"));
        for (i, &a) in x.iter().enumerate() {
            let b = x[(i + 1) % x.len()];
            assert_eq!(y[i], wide(a, b).wrapping_add(add), "of {a}, {b}");
            assert_eq!(z[i], (a as i64 / 7) * by - 5, "of {a}");
        }
    }
}

#[test]
fn a_kernel_of_64_bits_needs_the_feature_and_has_no_use_for_a_browser() {
    let info = over_wide::info();
    assert_eq!(info.features.describe(), "int64");
    let error = info
        .wgsl_for_web(BindingSet::NONE)
        .expect_err("browsers have no such integers");
    assert_eq!(
        error.to_string(),
        "no browser runs kernel `over_wide`: it needs the features int64"
    );
    let offsets: Vec<_> = info.params.iter().map(|field| field.offset).collect();
    assert_eq!((offsets, info.params_size), (vec![0, 8, 16], 24));
    let options = ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    };
    let plain = Context::new(&options).expect("an adapter");
    let x = plain.upload(&[1_u64]).expect("it uploads");
    let mut y = plain.alloc::<u64>(1).expect("it allocates");
    let mut z = plain.alloc::<i64>(1).expect("it allocates");
    let run = over_wide::launch(&x, &mut y, &mut z, 1, 0, 0).expect("a grid");
    let error = plain.run(&run).expect_err("browsers have no such integers");
    assert!(matches!(error, DeviceError::Features { .. }), "{error}");
}
