//! Sum by a tree in workgroup memory (Harris, Optimizing Parallel Reduction in CUDA, 2007).

use rlx_kernels::prelude::*;

use crate::{Outcome, assert_near, every_device, floats, sum_of_products};

/// sums[g] = Σ x[512 g .. 512 g + 512], for `n` numbers. Each level of the tree halves the
/// invocations that add.
#[kernel(workgroup_size(256), threads(n.div_ceil(2)))]
fn sum(x: &[f32], sums: &mut [f32], n: u32) {
    #[workgroup]
    let partial: [f32; 256];
    let me = local_index();
    let group = workgroup_index();
    let first = group * 512 + me;
    let second = first + 256;
    let mut mine = 0.0;
    if first < n {
        mine += x[first];
    }
    if second < n {
        mine += x[second];
    }
    partial[me] = mine;
    workgroup_barrier();
    let mut half = 128;
    while half > 0 {
        if me < half {
            partial[me] += partial[me + half];
        }
        workgroup_barrier();
        half /= 2;
    }
    if me == 0 && group < n.div_ceil(512) {
        sums[group] = partial[0];
    }
}

#[test]
fn passes_of_the_tree_sum_a_slice_of_any_length() -> Outcome {
    for gpu in every_device() {
        for n in [1, 511, 513, 300_007] {
            let x = floats(1, n);
            let mut left = n;
            let mut numbers = gpu.upload(&x)?;
            loop {
                let mut sums = gpu.alloc::<f32>(left.div_ceil(512).into())?;
                gpu.run(&sum::launch(&numbers, &mut sums, left)?)?;
                numbers = sums;
                left = left.div_ceil(512);
                if left == 1 {
                    break;
                }
            }
            let wanted = sum_of_products(x.iter().map(|x| f64::from(*x)), 0);
            assert_near(&gpu.download(&numbers)?, [wanted].into_iter());
        }
    }
    Ok(())
}
