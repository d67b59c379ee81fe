//! What kernels cost, counted by hand and by the compiler.

use kernel_specs::matmul::gemv::{gemv, gemv_subgroup};
use kernel_specs::matmul::matmul_bt::matmul_bt;
use kernel_specs::norm::rms_norm::rms_norm;
use rlx_kernels::prelude::*;

fn bytes(params: &[u32]) -> Vec<u8> {
    params
        .iter()
        .flat_map(|param| param.to_le_bytes())
        .collect()
}

/// Branches, helpers, unrolled loops and ranges of several kinds.
#[kernel(workgroup_size(32), threads(n))]
#[requires(x.len() >= n, y.len() >= n)]
fn counted(x: &[Vec4<f32>], y: &mut [f32], n: u32, rounds: u32) {
    let i = global_index();
    if i < n {
        let v = x[i];
        let mut sum = 0.0;
        for _ in 0..rounds {
            sum = sum * 0.5 + dot(v, v);
        }
        #[unroll]
        for part in 0..3 {
            if part < 2 {
                sum += 1.0;
            } else {
                sum = sum.mul_add(2.0, 3.0).sqrt();
            }
        }
        y[i] += sum;
    }
}

#[kernel(workgroup_size(32), threads(n))]
#[requires(y.len() >= n)]
fn open(y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        let mut v = y[i];
        while v > 1.0 {
            v *= 0.5;
        }
        y[i] = v;
    }
}

#[test]
fn operations_and_bytes_are_counted_by_ranges_and_branches() {
    let kernel = counted::info();
    let cost = &kernel.cost;
    // rounds · (· + dot of 4) + two sums + fma and root + the sum into y
    assert_eq!(cost.flops.describe(kernel), "9 * rounds + 6");
    assert_eq!(cost.read.describe(kernel), "20");
    assert_eq!(cost.written.describe(kernel), "4");
    assert!(!cost.open);
    let all = kernel
        .cost_of(&bytes(&[64, 10]), &[64, 64], [2, 1, 1], 32)
        .unwrap();
    assert_eq!(
        (all.flops, all.read, all.written),
        (64.0 * 96.0, 1280.0, 256.0)
    );
    assert_eq!(kernel.cost_of(&[], &[], [1, 1, 1], 32), None);
}

#[test]
fn what_values_decide_leaves_a_cost_open() {
    let kernel = open::info();
    assert!(kernel.cost.open);
    assert_eq!(kernel.cost.flops.describe(kernel), "1");
    let line = "// cost        an invocation at least: 1 flops";
    assert!(kernel.facts().contains(line), "{}", kernel.facts());
}

/// A product and a sum for each weight and row of activations, and each weight's bytes at least once.
#[test]
fn products_cost_two_operations_a_weight_and_row() {
    let (m, n, k) = (64_u32, 128, 512);
    let weights = f64::from(n * k);
    let gemv = gemv::instance("F32, F32").unwrap();
    let all = gemv
        .cost_of(&bytes(&[n, k]), &[0; 3], [n / 2, 1, 1], 32)
        .unwrap();
    // The sums of two rows meet: an invocation adds two eighths of them, and eight eighths.
    let groups = f64::from(n / 2);
    assert_eq!(all.flops, 2.0 * weights + 10.0 * 64.0 * groups);
    assert_eq!(
        all.read,
        1.5 * 4.0 * weights,
        "weights once a row, activations once for two rows"
    );
    assert!(!gemv.cost.open);

    let subgroup = gemv_subgroup::instance("F32, F32").unwrap();
    for size in [8, 32, 64] {
        let all = subgroup
            .cost_of(&bytes(&[n, k]), &[0; 3], [n / 2, 1, 1], size)
            .unwrap();
        assert!(all.flops >= 2.0 * weights, "{size}: {all:?}");
        assert_eq!(all.read, 1.5 * 4.0 * weights, "{size}");
    }

    let tiled = matmul_bt::instance("F32").unwrap();
    let grid = [n.div_ceil(64), m.div_ceil(32), 1];
    let all = tiled
        .cost_of(&bytes(&[m, n, k]), &[0; 3], grid, 32)
        .unwrap();
    assert_eq!(all.flops, 2.0 * f64::from(m) * weights);
    // Tiles of 32 × 64: each weight is read once for 32 rows, each activation once for 64.
    let expected = 4.0 * (weights * f64::from(m / 32) + f64::from(m * k) * f64::from(n / 64));
    assert_eq!(all.read, expected);
    assert_eq!(all.written, 4.0 * f64::from(m * n));
}

#[test]
fn a_block_costs_what_its_decoder_reads() {
    let (n, k) = (64_u32, 4096);
    let weights = f64::from(n * k);
    let bits = |name| {
        let kernel = gemv::instance(name).unwrap();
        let all = kernel
            .cost_of(&bytes(&[n, k]), &[0; 3], [n / 2, 1, 1], 32)
            .unwrap();
        8.0 * (all.read - 2.0 * weights) / weights
    };
    // A run of eight: 8 bytes and a scale of 2; 8 bytes of nibbles, two scales of 2, and 3 words.
    assert_eq!(bits("Q8_0, F32"), 10.0);
    assert_eq!(bits("Q4_K, F32"), 28.0);
}

#[test]
fn a_norm_reads_its_row_twice() {
    let (rows, k) = (8_u32, 1024);
    let kernel = rms_norm::info();
    let params = [bytes(&[rows, k]), 1e-5_f32.to_le_bytes().to_vec()].concat();
    let all = kernel.cost_of(&params, &[0; 3], [rows, 1, 1], 32).unwrap();
    let elements = f64::from(rows * k);
    assert_eq!(all.read, 4.0 * 3.0 * elements);
    assert_eq!(all.written, 4.0 * elements);
    // Two operations an element in each loop; 255 sums that meet, and a scale for each of 256.
    let around = f64::from(rows * (255 + 4 * 256));
    assert_eq!(all.flops, 4.0 * elements + around);
}
