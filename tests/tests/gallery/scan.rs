//! Exclusive prefix sums, work-efficient (Blelloch, Prefix Sums and Their Applications, 1990).

use rlx_conformance::devices::{Buffer, Device};
use rlx_kernels::prelude::*;

use crate::{Outcome, every_device, words};

/// Numbers that a workgroup scans: two an invocation.
#[device]
const BLOCK: u32 = 512;

/// Where a node lies: a gap after each 32, so that strides of powers of two use different banks.
#[device]
fn slot(i: u32) -> u32 {
    i + i / 32
}

/// sums[i] = Σ x[j] over the j < i of its block, totals[b] = Σ of block b.
#[kernel(workgroup_size(256), threads(n.div_ceil(2)))]
fn scan_blocks(x: &[u32], sums: &mut [u32], totals: &mut [u32], n: u32) {
    #[workgroup]
    let tree: [u32; BLOCK + BLOCK / 32];
    let me = local_index();
    let block = workgroup_index();
    for i in (me..BLOCK).step_by(BLOCK / 2) {
        let at = block * BLOCK + i;
        tree[slot(i)] = if at < n { x[at] } else { 0 };
    }

    // Up: each node becomes the sum of what lies under it.
    let mut stride = 1;
    while stride < BLOCK {
        workgroup_barrier();
        let right = (2 * me + 2) * stride - 1;
        if right < BLOCK {
            tree[slot(right)] += tree[slot(right - stride)];
        }
        stride *= 2;
    }

    // Down: each node becomes the sum of what lies before it.
    workgroup_barrier();
    if me == 0 {
        if block < n.div_ceil(BLOCK) {
            totals[block] = tree[slot(BLOCK - 1)];
        }
        tree[slot(BLOCK - 1)] = 0;
    }
    while stride > 1 {
        stride /= 2;
        workgroup_barrier();
        let right = (2 * me + 2) * stride - 1;
        if right < BLOCK {
            let left = tree[slot(right - stride)];
            tree[slot(right - stride)] = tree[slot(right)];
            tree[slot(right)] += left;
        }
    }

    workgroup_barrier();
    for i in (me..BLOCK).step_by(BLOCK / 2) {
        let at = block * BLOCK + i;
        if at < n {
            sums[at] = tree[slot(i)];
        }
    }
}

/// sums[i] += before[block of i]
#[kernel(workgroup_size(256), threads(n))]
fn add_blocks(sums: &mut [u32], before: &[u32], n: u32) {
    let i = global_index();
    if i < n {
        sums[i] += before[i / BLOCK];
    }
}

/// sums[i] = Σ x[j] over j < i, and Σ x, for `n` numbers: the blocks are scanned, then their totals.
pub fn scan(gpu: &Device, x: &Buffer<u32>, n: u32) -> Outcome<(Buffer<u32>, Buffer<u32>)> {
    let blocks = n.div_ceil(BLOCK);
    let mut sums = gpu.alloc(n.into())?;
    let mut totals = gpu.alloc(blocks.into())?;
    gpu.run(&scan_blocks::launch(x, &mut sums, &mut totals, n)?)?;
    if blocks == 1 {
        return Ok((sums, totals));
    }
    let (before, total) = scan(gpu, &totals, blocks)?;
    gpu.run(&add_blocks::launch(&mut sums, &before, n)?)?;
    Ok((sums, total))
}

#[test]
fn blocks_of_blocks_scan_a_slice_of_any_length() -> Outcome {
    for gpu in every_device() {
        for n in [1, 511, 512, 513, 262_145 + 777] {
            let x = words(2, n, 10_000);
            let (sums, total) = scan(&gpu, &gpu.upload(&x)?, n)?;
            let mut before = 0;
            let mut wanted = Vec::new();
            for x in &x {
                wanted.push(before);
                before += x;
            }
            assert_eq!(gpu.download(&sums)?, wanted, "{n} numbers");
            assert_eq!(gpu.download(&total)?, [before], "{n} numbers");
        }
    }
    Ok(())
}
