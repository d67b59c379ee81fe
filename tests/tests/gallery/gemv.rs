//! Matrix times vector where rows are few and long: k is split among workgroups, in two kernels.

use rlx_kernels::prelude::*;

use crate::{Outcome, assert_near, every_device, floats, sum_of_products};

/// partial[s, m] = Σ a[m, k] · x[k] over the s-th of `splits` parts of k.
#[kernel(workgroup_size(64), groups(m, splits))]
fn split_k(a: &[f32], x: &[f32], partial: &mut [f32], m: u32, k: u32, splits: u32) {
    #[workgroup]
    let sums: [f32; 64];
    let me = local_index();
    let row = workgroup_id().x;
    let split = workgroup_id().y;
    let part = k.div_ceil(splits);
    let first = split * part;
    let end = (first + part).min(k);
    let mut sum = 0.0;
    for i in (first + me..end).step_by(64) {
        sum += a[row * k + i] * x[i];
    }
    sums[me] = sum;
    workgroup_barrier();
    let mut half = 32;
    while half > 0 {
        if me < half {
            sums[me] += sums[me + half];
        }
        workgroup_barrier();
        half /= 2;
    }
    if me == 0 {
        partial[split * m + row] = sums[0];
    }
}

/// y[m] = Σₛ partial[s, m]
#[kernel(workgroup_size(64), threads(m))]
fn join(partial: &[f32], y: &mut [f32], m: u32, splits: u32) {
    let row = global_index();
    if row < m {
        let mut sum = 0.0;
        for split in 0..splits {
            sum += partial[split * m + row];
        }
        y[row] = sum;
    }
}

#[test]
fn parts_of_k_add_up_to_the_product() -> Outcome {
    for gpu in every_device() {
        for (m, k, splits) in [(1, 1, 1), (3, 5003, 7), (65, 130, 16), (2, 3, 5)] {
            let a = floats(10, m * k);
            let x = floats(11, k);
            let mut partial = gpu.alloc::<f32>(u64::from(m * splits))?;
            let mut y = gpu.alloc::<f32>(m.into())?;
            let (a_buffer, x_buffer) = (gpu.upload(&a)?, gpu.upload(&x)?);
            let run = split_k::launch(&a_buffer, &x_buffer, &mut partial, m, k, splits)?;
            gpu.run(&run)?;
            gpu.run(&join::launch(&partial, &mut y, m, splits)?)?;
            let wanted = a.chunks(k as usize).map(|row| {
                let terms = row.iter().zip(&x);
                sum_of_products(terms.map(|(a, x)| f64::from(*a) * f64::from(*x)), 1)
            });
            assert_near(&gpu.download(&y)?, wanted);
        }
    }
    Ok(())
}
