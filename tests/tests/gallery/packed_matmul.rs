//! C = X · Wᵀ with packed weights, by cooperative matrices of halves: weights are decoded into workgroup
//! memory as they are needed, and sums are made in f32.

use kernel_specs::formats::{F16, Q4_0, Q4K};
use rlx_conformance::devices::{Device, gpu};
use rlx_conformance::product::nmse;
use rlx_conformance::random;
use rlx_kernels::prelude::*;

use crate::{Outcome, every_device};

/// Rows and columns of the part of C that a workgroup makes.
#[device]
const TILE: u32 = 64;

/// Steps of k that lie in workgroup memory at a time.
#[device]
const DEPTH: u32 = 32;

/// Four halves a place; two places more than a row has, so that rows begin in different banks.
#[device]
const PITCH: u32 = 10;

/// y[m, n] = Σₖ x[m, k] · W[n, k], any m, n and k. Activations are multiplied by `scale` before they become
/// halves, and sums divided by it: with 65504 / max |x| none of them overflows. A quarter of the tile, 32 × 32,
/// is a subgroup's; it is fastest where WIDE is four subgroups, and right wherever it is a multiple of one.
#[kernel(
    workgroup_size(WIDE),
    groups(n.div_ceil(TILE.into()), m.div_ceil(TILE.into())),
    instances(F in [F16, Q4_0, Q4K], N in [8, 16])
)]
#[requires(k % F::ELEMS == 0, w.blocks() >= n * k / F::ELEMS, x.len() >= m * k, y.len() >= m * n)]
fn packed_matmul<F: BlockFormat, const N: u32, const WIDE: u32 = 128>(
    w: &[Packed<F>],
    x: &[f32],
    y: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
    scale: f32,
) {
    #[workgroup]
    let ws: [Vec4<f16>; TILE * PITCH];
    #[workgroup]
    let xs: [Vec4<f16>; TILE * PITCH];
    // A matrix of each quarter at a time.
    #[workgroup]
    let out: [f32; 4 * N * N];
    let me = local_index();
    let top = workgroup_id().y * TILE;
    let left = workgroup_id().x * TILE;
    for round in 0..4.div_ceil(num_subgroups()) {
        let quarter = round * num_subgroups() + subgroup_id();
        let x_row = quarter / 2 * 32;
        let w_row = quarter % 2 * 32;
        let mut sums = [MatrixC::<f32, N>::zero(); (32 / N) * (32 / N)];
        for base in (0..k).step_by(DEPTH) {
            // Runs of eight weights, four a row.
            for run in (me..TILE * 4).step_by(WIDE) {
                let row = run / 4;
                let at = base + run % 4 * 8;
                let mut v = [Vec4::splat(0.0); 2];
                if left + row < n && at < k {
                    let first = (left + row) * (k / F::ELEMS);
                    if F::ELEMS % 8 == 0 || at + 8 <= k {
                        v = F::decode8(w.block(first + at / F::ELEMS), at % F::ELEMS);
                    } else {
                        for i in 0..8 {
                            if at + i < k {
                                v[i / 4][i % 4] = F::decode(w.block(first + at + i), 0);
                            }
                        }
                    }
                }
                ws[row * PITCH + run % 4 * 2] = to_f16(v[0]);
                ws[row * PITCH + run % 4 * 2 + 1] = to_f16(v[1]);
            }
            for four in (me..TILE * 8).step_by(WIDE) {
                let row = four / 8;
                let at = base + four % 8 * 4;
                let mut v = Vec4::splat(0.0);
                if top + row < m {
                    #[unroll]
                    for i in 0..4 {
                        if at + i < k {
                            v[i] = x[(top + row) * k + at + i];
                        }
                    }
                }
                xs[row * PITCH + four % 8] = to_f16(v * scale);
            }
            workgroup_barrier();
            if quarter < 4 {
                #[unroll]
                for step in (0..DEPTH).step_by(N) {
                    #[unroll]
                    for i in 0..32 / N {
                        let at = (x_row + i * N) * PITCH + step / 4;
                        let a = MatrixA::<f16, N>::load_rows(&xs, at, PITCH);
                        #[unroll]
                        for j in 0..32 / N {
                            let at = (w_row + j * N) * PITCH + step / 4;
                            let b = MatrixB::<f16, N>::load_columns(&ws, at, PITCH);
                            let to = i * (32 / N) + j;
                            sums[to] = multiply_add(a, b, sums[to]);
                        }
                    }
                }
            }
            workgroup_barrier();
        }
        #[unroll]
        for at in 0..(32 / N) * (32 / N) {
            if quarter < 4 {
                sums[at].store_rows(&mut out, quarter * N * N, N);
            }
            workgroup_barrier();
            let first = round * num_subgroups();
            let end = (first + num_subgroups()).min(4);
            for i in (first * N * N + me..end * N * N).step_by(WIDE) {
                let of = i / (N * N);
                let row = top + of / 2 * 32 + at / (32 / N) * N + i / N % N;
                let column = left + of % 2 * 32 + at % (32 / N) * N + i % N;
                if row < m && column < n {
                    y[row * n + column] = out[i] / scale;
                }
            }
            workgroup_barrier();
        }
    }
}

fn check<F, const N: u32>(device: &Device, wide: u32, [m, n, k]: [u32; 3]) -> Outcome
where
    F: BlockFormat + packed_matmul::Instance<N>,
{
    let blocks = random::blocks(&F::INFO, 51, (n * k / F::ELEMS) as usize);
    let mut weights = vec![0.0; (n * k) as usize];
    (F::INFO.decode)(&blocks, &mut weights);
    // Beyond what a half holds.
    let x = random::activations(52, (m * k) as usize);
    let x: Vec<f32> = x.into_iter().map(|x| x * 1e5).collect();
    let mut y = device.alloc::<f32>(u64::from(m * n))?;
    let (w, xs) = (device.upload_packed::<F>(&blocks)?, device.upload(&x)?);
    let overrides = packed_matmul::Overrides { wide };
    let scale = 1.0 / 16.0;
    let run = packed_matmul::launch_with::<F, N, _>(overrides, &w, &xs, &mut y, m, n, k, scale)?;
    device.run(&run)?;
    let rows = x.chunks_exact(k as usize);
    let wanted = rows.flat_map(|x| {
        weights.chunks_exact(k as usize).map(move |w| {
            let terms = x.iter().zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w));
            terms.sum::<f64>()
        })
    });
    let error = nmse(device.download(&y)?.into_iter(), wanted);
    let format = F::INFO.name;
    assert!(error < 1e-6, "{format} {m} x {n} x {k}: NMSE {error:e}");
    Ok(())
}

/// Every size of subgroup has four of them in a workgroup, and some have one or eight.
#[test]
fn products_with_packed_weights_are_within_1e_6() -> Outcome {
    let shapes = gpu().capabilities().matrices.clone();
    for device in every_device() {
        let kernels = packed_matmul::instances().iter();
        let has = |size| {
            let mut of_size = kernels.clone().filter(|kernel| kernel.number("N") == size);
            let is_there = |shape: &rlx_kernels::MatrixShape| shape.is_among(&shapes);
            let all = of_size.all(|kernel| kernel.matrices.iter().all(is_there));
            all || matches!(device, Device::Twin(..))
        };
        if has(16) {
            check::<Q4K, 16>(&device, 128, [33, 65, 256])?;
            check::<Q4_0, 16>(&device, 64, [3, 33, 96])?;
            check::<F16, 16>(&device, 128, [1, 65, 37])?;
        }
        if has(8) {
            check::<Q4K, 8>(&device, 64, [9, 65, 256])?;
            check::<Q4_0, 8>(&device, 128, [40, 33, 64])?;
        }
    }
    Ok(())
}
