//! Stream compaction by prefix sums (Horn, GPU Gems 2, chapter 36).

use rlx_kernels::prelude::*;

use crate::scan::scan;
use crate::{Outcome, every_device, words};

/// Whether a number stays.
#[device]
fn keep(x: u32) -> bool {
    x % 3 == 0
}

/// kept[i] = 1 if x[i] stays, else 0
#[kernel(workgroup_size(256), threads(n))]
fn mark(x: &[u32], kept: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        kept[i] = keep(x[i]) as u32;
    }
}

/// y[before[i]] = x[i], for each x[i] that stays, `before[i]` others of which lie before it.
#[kernel(workgroup_size(256), threads(n))]
fn scatter(x: &[u32], before: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n && keep(x[i]) {
        y[before[i]] = x[i];
    }
}

#[test]
fn what_stays_moves_up_in_its_order() -> Outcome {
    for gpu in every_device() {
        for n in [1, 255, 10_007] {
            let x = words(19, n, 1000);
            let input = gpu.upload(&x)?;
            let mut kept = gpu.alloc::<u32>(n.into())?;
            gpu.run(&mark::launch(&input, &mut kept, n)?)?;
            let (before, total) = scan(&gpu, &kept, n)?;
            let mut y = gpu.alloc::<u32>(n.into())?;
            gpu.run(&scatter::launch(&input, &before, &mut y, n)?)?;
            let wanted: Vec<u32> = x.into_iter().filter(|x| keep(*x)).collect();
            assert_eq!(gpu.download(&total)?, [wanted.len() as u32]);
            assert_eq!(gpu.download(&y)?[..wanted.len()], wanted);
        }
    }
    Ok(())
}
