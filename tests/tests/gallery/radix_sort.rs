//! Radix sort, four bits a pass (Satish, Harris and Garland, Designing Efficient Sorting Algorithms
//! for Manycore GPUs, 2009).

use rlx_kernels::prelude::*;

use crate::scan::scan;
use crate::{Outcome, every_device, words};

/// Keys of a block: one an invocation.
#[device]
const BLOCK: u32 = 256;

/// Values of a digit.
#[device]
const RADIX: u32 = 16;

/// The digit that begins at bit `shift`.
#[device]
fn digit(key: u32, shift: u32) -> u32 {
    (key >> shift) % RADIX
}

/// counts[d, b] is how many keys of block b have digit d.
#[kernel(workgroup_size(256), threads(n))]
fn count(keys: &[u32], counts: &mut [u32], n: u32, shift: u32) {
    #[workgroup]
    let mine: [AtomicU32; RADIX];
    let i = global_index();
    let me = local_index();
    let blocks = n.div_ceil(BLOCK);
    if i < n {
        mine[digit(keys[i], shift)].fetch_add(1);
    }
    workgroup_barrier();
    if me < RADIX && workgroup_index() < blocks {
        counts[me * blocks + workgroup_index()] = mine[me].load();
    }
}

/// Moves each key, and its value, to where its digit begins in its block, starts[d, b], past the
/// keys of the block that have the digit too and come before it.
#[kernel(workgroup_size(256), threads(n))]
fn scatter(
    keys: &[u32],
    values: &[u32],
    starts: &[u32],
    sorted_keys: &mut [u32],
    sorted_values: &mut [u32],
    n: u32,
    shift: u32,
) {
    #[workgroup]
    let digits: [u32; BLOCK];
    let i = global_index();
    let me = local_index();
    if i < n {
        digits[me] = digit(keys[i], shift);
    }
    workgroup_barrier();
    if i < n {
        let mut at = starts[digits[me] * n.div_ceil(BLOCK) + workgroup_index()];
        for other in 0..me {
            at += (digits[other] == digits[me]) as u32;
        }
        sorted_keys[at] = keys[i];
        sorted_values[at] = values[i];
    }
}

#[test]
fn eight_passes_sort_and_each_keeps_the_order_of_equals() -> Outcome {
    for gpu in every_device() {
        for n in [1, 257, 4001] {
            // Few digits differ, so that many keys are equal.
            let key = |x: &u32| x % 50 * 0x0101_0101 + ((x % 7) << 28);
            let mut wanted: Vec<(u32, u32)> =
                words(29, n, u32::MAX).iter().map(key).zip(0..).collect();
            let (keys, values): (Vec<u32>, Vec<u32>) = wanted.iter().copied().unzip();
            let (mut keys, mut values) = (gpu.upload(&keys)?, gpu.upload(&values)?);
            let mut sorted_keys = gpu.alloc::<u32>(n.into())?;
            let mut sorted_values = gpu.alloc::<u32>(n.into())?;
            for shift in (0..32).step_by(4) {
                let cells = RADIX * n.div_ceil(BLOCK);
                let mut counts = gpu.alloc::<u32>(cells.into())?;
                gpu.run(&count::launch(&keys, &mut counts, n, shift)?)?;
                let (starts, _) = scan(&gpu, &counts, cells)?;
                let run = scatter::launch(
                    &keys,
                    &values,
                    &starts,
                    &mut sorted_keys,
                    &mut sorted_values,
                    n,
                    shift,
                )?;
                gpu.run(&run)?;
                std::mem::swap(&mut keys, &mut sorted_keys);
                std::mem::swap(&mut values, &mut sorted_values);
                wanted.sort_by_key(|(key, _)| key >> shift & 15);
                let found: Vec<(u32, u32)> = gpu
                    .download(&keys)?
                    .into_iter()
                    .zip(gpu.download(&values)?)
                    .collect();
                assert_eq!(found, wanted, "after the digit at bit {shift}");
            }
            assert!(wanted.is_sorted());
        }
    }
    Ok(())
}
