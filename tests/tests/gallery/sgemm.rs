//! C = A · B through tiles, with 4 × 4 sums in the registers of an invocation (Volkov and Demmel,
//! Benchmarking GPUs to Tune Dense Linear Algebra, 2008).

use rlx_kernels::prelude::*;

use crate::{Outcome, assert_near, every_device, floats, sum_of_products};

/// Rows and columns of the tile of C that a workgroup makes.
#[device]
const TILE: u32 = 64;

/// How much of k lies in workgroup memory at a time.
#[device]
const DEPTH: u32 = 16;

/// c[m, n] = Σₖ a[m, k] · b[k, n], any m, n and k.
#[kernel(workgroup_size(16, 16), groups(n.div_ceil(TILE.into()), m.div_ceil(TILE.into())))]
fn sgemm(a: &[f32], b: &[f32], c: &mut [f32], m: u32, n: u32, k: u32) {
    // Two longer than a tile, so that the writes of a column use different banks.
    #[workgroup]
    let a_tile: [[f32; TILE + 2]; DEPTH];
    #[workgroup]
    let b_tile: [[f32; TILE]; DEPTH];
    let me = local_id();
    let top = workgroup_id().y * TILE;
    let left = workgroup_id().x * TILE;
    let mut sums = [[0.0; 4]; 4];
    for base in (0..k).step_by(DEPTH) {
        for i in (local_index()..TILE * DEPTH).step_by(256) {
            let row = top + i / DEPTH;
            let step = base + i % DEPTH;
            a_tile[i % DEPTH][i / DEPTH] = if row < m && step < k {
                a[row * k + step]
            } else {
                0.0
            };
            let step = base + i / TILE;
            let column = left + i % TILE;
            b_tile[i / TILE][i % TILE] = if step < k && column < n {
                b[step * n + column]
            } else {
                0.0
            };
        }
        workgroup_barrier();
        for step in 0..DEPTH {
            #[unroll]
            for i in 0..4 {
                let a = a_tile[step][4 * me.y + i];
                #[unroll]
                for j in 0..4 {
                    // Columns 16 apart, so that neighbours read neighbours.
                    sums[i][j] += a * b_tile[step][16 * j + me.x];
                }
            }
        }
        workgroup_barrier();
    }
    for i in 0..4 {
        for j in 0..4 {
            let row = top + 4 * me.y + i;
            let column = left + 16 * j + me.x;
            if row < m && column < n {
                c[row * n + column] = sums[i][j];
            }
        }
    }
}

#[test]
fn products_of_any_shape_are_within_the_error_of_their_sums() -> Outcome {
    for gpu in every_device() {
        for (m, n, k) in [(1, 1, 1), (63, 65, 17), (100, 3, 50), (130, 70, 33)] {
            let a = floats(8, m * k);
            let b = floats(9, k * n);
            let mut c = gpu.alloc::<f32>(u64::from(m * n))?;
            let run = sgemm::launch(&gpu.upload(&a)?, &gpu.upload(&b)?, &mut c, m, n, k)?;
            gpu.run(&run)?;
            let wanted = (0..m * n).map(|at| {
                let term = |i| {
                    let a = a[(at / n * k + i) as usize];
                    let b = b[(i * n + at % n) as usize];
                    f64::from(a) * f64::from(b)
                };
                sum_of_products((0..k).map(term), 1)
            });
            assert_near(&gpu.download(&c)?, wanted);
        }
    }
    Ok(())
}
