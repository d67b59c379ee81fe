//! C = A · Bᵀ of halves by cooperative matrices, through tiles in workgroup memory.

use rlx_conformance::devices::{Device, gpu};
use rlx_kernels::prelude::*;

use crate::{Outcome, assert_near, every_device, floats, sum_of_products};

/// Rows and columns of the part of C that a workgroup makes.
#[device]
const TILE: u32 = 32;

/// How much of k lies in workgroup memory at a time.
#[device]
const DEPTH: u32 = 16;

/// Elements from one row of a tile to the next: eight more than it has, so that rows begin in
/// different banks.
#[device]
const PITCH: u32 = 24;

/// c[m, n] = Σₖ a[m, k] · b[n, k], any m, n and k. The N × N matrices of the tile are dealt out to the
/// subgroups, however many there are.
#[kernel(
    workgroup_size(64),
    groups(n.div_ceil(TILE.into()), m.div_ceil(TILE.into())),
    instances(N in [8, 16])
)]
fn matmul<const N: u32>(a: &[f16], b: &[f16], c: &mut [f32], m: u32, n: u32, k: u32) {
    #[workgroup]
    let a_tile: [f16; TILE * PITCH];
    #[workgroup]
    let b_tile: [f16; TILE * PITCH];
    #[workgroup]
    let c_tile: [f32; TILE * TILE];
    let me = local_index();
    let top = workgroup_id().y * TILE;
    let left = workgroup_id().x * TILE;
    let across = TILE / N;
    let mut sums = [MatrixC::<f32, N>::zero(); (TILE / N) * (TILE / N)];
    for base in (0..k).step_by(DEPTH) {
        for i in (me..TILE * DEPTH).step_by(64) {
            let line = i / DEPTH;
            let step = base + i % DEPTH;
            let at = line * PITCH + i % DEPTH;
            a_tile[at] = if top + line < m && step < k {
                a[(top + line) * k + step]
            } else {
                f16::ZERO
            };
            b_tile[at] = if left + line < n && step < k {
                b[(left + line) * k + step]
            } else {
                f16::ZERO
            };
        }
        workgroup_barrier();
        for tile in (subgroup_id()..across * across).step_by(num_subgroups()) {
            let row = tile / across * N * PITCH;
            let column = tile % across * N * PITCH;
            let mut sum = sums[tile / num_subgroups()];
            #[unroll]
            for step in (0..DEPTH).step_by(N) {
                let x = MatrixA::<f16, N>::load_rows(&a_tile, row + step, PITCH);
                let y = MatrixB::<f16, N>::load_columns(&b_tile, column + step, PITCH);
                sum = multiply_add(x, y, sum);
            }
            sums[tile / num_subgroups()] = sum;
        }
        workgroup_barrier();
    }
    for tile in (subgroup_id()..across * across).step_by(num_subgroups()) {
        let at = tile / across * N * TILE + tile % across * N;
        sums[tile / num_subgroups()].store_rows(&mut c_tile, at, TILE);
    }
    workgroup_barrier();
    for i in (me..TILE * TILE).step_by(64) {
        let row = top + i / TILE;
        let column = left + i % TILE;
        if row < m && column < n {
            c[row * n + column] = c_tile[i];
        }
    }
}

fn check<const N: u32>(device: &Device, (m, n, k): (u32, u32, u32)) -> Outcome
where
    (): matmul::Instance<N>,
{
    let halves = |seed, len| -> Vec<f16> {
        let floats = floats(seed, len).into_iter();
        floats.map(f16::from_f32).collect()
    };
    let (a, b) = (halves(41, m * k), halves(42, n * k));
    let mut c = device.alloc::<f32>(u64::from(m * n))?;
    let run = matmul::launch::<N, _>(&device.upload(&a)?, &device.upload(&b)?, &mut c, m, n, k)?;
    device.run(&run)?;
    let wanted = (0..m * n).map(|at| {
        let term = |i| {
            let a = a[(at / n * k + i) as usize];
            let b = b[(at % n * k + i) as usize];
            a.to_f64() * b.to_f64()
        };
        // A device may cut off where f32 rounds: twice as many roundings.
        sum_of_products((0..k).map(term), k)
    });
    assert_near(&device.download(&c)?, wanted);
    Ok(())
}

#[test]
fn products_of_any_shape_are_within_the_error_of_their_sums() -> Outcome {
    let shapes = gpu().capabilities().matrices.clone();
    for device in every_device() {
        let has = |kernel: &rlx_kernels::KernelInfo| {
            let mut needed = kernel.matrices.iter();
            matches!(device, Device::Twin(..)) || needed.all(|shape| shape.is_among(&shapes))
        };
        for size in [(1, 1, 1), (33, 65, 17), (70, 31, 40)] {
            if has(<() as matmul::Instance<8>>::info()) {
                check::<8>(&device, size)?;
            }
            if has(<() as matmul::Instance<16>>::info()) {
                check::<16>(&device, size)?;
            }
        }
    }
    Ok(())
}
