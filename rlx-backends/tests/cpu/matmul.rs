//! The matrix product against an f64 dot product over the decoded weights.

use half::f16;
use proptest::prelude::*;
use rlx_backends::Tensor;
use rlx_core::{DType, Graph};
use rlx_kernels::FormatInfo;

use crate::fixtures::{F32, Q8_0, f32_bytes, first, values, weights};

/// Numbers in -1 .. 1, the same for the same seed (xorshift).
fn noise(mut seed: u64, len: usize) -> Vec<f32> {
    seed |= 1;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// Random weights in `format`.
fn random_bytes(format: &FormatInfo, seed: u64, len: usize) -> Vec<u8> {
    if *format == F32 {
        return f32_bytes(&noise(seed, len));
    }
    let block = |block: &[f32]| {
        let d = f16::from_f32(0.01 + block[0].abs() / 64.0).to_le_bytes();
        d.into_iter()
            .chain(block.iter().map(|q| (q * 127.0) as i8 as u8))
            .collect::<Vec<_>>()
    };
    noise(seed, len).chunks(32).flat_map(block).collect()
}

fn product(
    format: &'static FormatInfo,
    bytes: &[u8],
    x: &[f32],
    [m, n, k]: [usize; 3],
) -> Vec<f32> {
    let mut graph = Graph::new();
    let [rows, columns, inner] = [m, n, k].map(|extent| extent as u64);
    let input = graph.input("x", [rows, inner], DType::F32).unwrap();
    let w = graph.weight("w", [columns, inner], format).unwrap();
    let y = graph.matmul_bt(input, w).unwrap();
    graph.output("y", y).unwrap();
    let y = first(
        &graph,
        &weights([("w", bytes.to_vec())]),
        &[("x", Tensor::f32([rows, inner], x))],
    );
    values(&y).to_vec()
}

/// Σ (y - exact)² / Σ exact².
fn nmse(format: &FormatInfo, bytes: &[u8], x: &[f32], y: &[f32], k: usize) -> f64 {
    let mut w = vec![0.0; bytes.len() / format.bytes as usize * format.elems as usize];
    (format.decode)(bytes, &mut w);
    let rows = x.chunks(k).flat_map(|x| w.chunks(k).map(move |w| (x, w)));
    let exact = rows.map(|(x, w)| {
        x.iter()
            .zip(w)
            .map(|(&x, &w)| f64::from(x) * f64::from(w))
            .sum::<f64>()
    });
    let (mut error, mut power) = (0.0, 0.0);
    for (exact, &y) in exact.zip(y) {
        error += (f64::from(y) - exact).powi(2);
        power += exact.powi(2);
    }
    error / power
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_product_is_as_near_to_f64_as_its_sum_of_eight_lanes_allows(
        m in 1_usize..9,
        n in 1_usize..70,
        blocks in 1_usize..20,
        rest in 0_usize..32,
        seed in any::<u64>(),
        q8 in any::<bool>(),
    ) {
        let (format, k) = if q8 { (&Q8_0, blocks * 32) } else { (&F32, blocks * 32 - rest) };
        let (bytes, x) = (random_bytes(format, seed, n * k), noise(seed ^ 0x5555, m * k));
        let y = product(format, &bytes, &x, [m, n, k]);
        let mut w = vec![0.0; n * k];
        (format.decode)(&bytes, &mut w);
        // A product and, in one of eight lanes, k / 8 sums, then the lanes: each rounds by half an
        // ulp. A single product may cancel to nothing, so the bound is on Σ |x · w|, not on the sum.
        let roundings = (k.div_ceil(8) + 9) as f64 * f64::from(f32::EPSILON) / 2.0;
        for (index, y) in y.iter().enumerate() {
            let (x, w) = (&x[index / n * k..][..k], &w[index % n * k..][..k]);
            let products = || x.iter().zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w));
            let (exact, size) = (products().sum::<f64>(), products().map(f64::abs).sum::<f64>());
            let error = (f64::from(*y) - exact).abs();
            prop_assert!(error <= roundings * size, "{y} is off by {error} of {size}");
        }
    }
}

#[test]
fn a_long_row_of_large_activations_neither_overflows_nor_drifts() {
    let (n, k) = (3, 16384);
    let bytes = random_bytes(&Q8_0, 9, n * k);
    let x: Vec<f32> = noise(5, k).iter().map(|x| x * 1e5).collect();
    let y = product(&Q8_0, &bytes, &x, [1, n, k]);
    assert!(nmse(&Q8_0, &bytes, &x, &y, k) <= 1e-10);
}

#[test]
fn a_row_gives_the_same_bits_whatever_rows_are_beside_it() {
    let (n, k) = (37, 96);
    let (bytes, x) = (random_bytes(&Q8_0, 3, n * k), noise(4, 65 * k));
    let whole = product(&Q8_0, &bytes, &x, [65, n, k]);
    for m in [1, 63, 64] {
        assert_eq!(
            product(&Q8_0, &bytes, &x[..m * k], [m, n, k]),
            whole[..m * n]
        );
    }
}
