//! Sorting by a network (Batcher, Sorting Networks and Their Applications, 1968), in the form whose
//! comparators all point one way, so that what lies past the end need not be there.

use rlx_kernels::prelude::*;

use crate::{Outcome, every_device, words};

/// Keys that a workgroup sorts on its own: two an invocation.
#[device]
const BLOCK: u32 = 512;

/// The lower of the two keys that comparator `i` compares in boxes of `height` keys.
#[device]
fn lower(i: u32, height: u32) -> u32 {
    let half = height / 2;
    i / half * height + i % half
}

/// The upper one: the mirror image of the lower in the first step of a merge, half a box away in
/// the others.
#[device]
fn upper(i: u32, height: u32, mirror: bool) -> u32 {
    let half = height / 2;
    if mirror {
        i / half * height + height - 1 - i % half
    } else {
        i / half * height + half + i % half
    }
}

/// Puts two keys in order.
#[device]
fn exchange(keys: &mut [u32], low: u32, high: u32) {
    let a = keys[low];
    let b = keys[high];
    if a > b {
        keys[low] = b;
        keys[high] = a;
    }
}

/// Sorts each block of 512 keys.
#[kernel(workgroup_size(256), threads(n.div_ceil(2)))]
fn sort_blocks(keys: &mut [u32], n: u32) {
    #[workgroup]
    let block: [u32; BLOCK];
    let me = local_index();
    let first = workgroup_index() * BLOCK;
    for i in (me..BLOCK).step_by(BLOCK / 2) {
        block[i] = if first + i < n {
            keys[first + i]
        } else {
            u32::MAX
        };
    }
    let mut sorted = 1;
    while sorted < BLOCK {
        sorted *= 2;
        let mut height = sorted;
        while height > 1 {
            workgroup_barrier();
            exchange(
                &mut block,
                lower(me, height),
                upper(me, height, height == sorted),
            );
            height /= 2;
        }
    }
    workgroup_barrier();
    for i in (me..BLOCK).step_by(BLOCK / 2) {
        if first + i < n {
            keys[first + i] = block[i];
        }
    }
}

/// One step of a merge of boxes larger than a block.
#[kernel(workgroup_size(256), threads(n.next_multiple_of(height) / 2))]
fn merge(keys: &mut [u32], n: u32, height: u32, mirror: u32) {
    let i = global_index();
    let high = upper(i, height, mirror == 1);
    if high < n {
        exchange(keys, lower(i, height), high);
    }
}

#[test]
fn the_network_sorts_any_number_of_keys() -> Outcome {
    for gpu in every_device() {
        for n in [1, 511, 513, 5000] {
            let mut wanted = words(5, n, 3000);
            let mut keys = gpu.upload(&wanted)?;
            gpu.run(&sort_blocks::launch(&mut keys, n)?)?;
            let mut sorted = BLOCK;
            while sorted < n {
                sorted *= 2;
                let mut height = sorted;
                while height > 1 {
                    let mirror = u32::from(height == sorted);
                    gpu.run(&merge::launch(&mut keys, n, height, mirror)?)?;
                    height /= 2;
                }
            }
            wanted.sort_unstable();
            assert_eq!(gpu.download(&keys)?, wanted, "{n} keys");
        }
    }
    Ok(())
}
