//! Softmax in one pass over its input (Milakov and Gimelshein, Online normalizer calculation for
//! softmax, 2018).

use rlx_kernels::prelude::*;

use crate::{Near, Outcome, assert_near, every_device, floats, gamma};

/// Joins two (maximum, sum of e^(x - maximum)).
#[device]
fn join(a: Vec2<f32>, b: Vec2<f32>) -> Vec2<f32> {
    let most = a.x.max(b.x);
    vec2(most, a.y * (a.x - most).exp() + b.y * (b.x - most).exp())
}

/// y = e^x / Σ e^x, for each row of `k`. A workgroup takes a row.
#[kernel(workgroup_size(128), groups(rows))]
fn softmax(x: &[f32], y: &mut [f32], rows: u32, k: u32) {
    #[workgroup]
    let seen: [Vec2<f32>; 128];
    let me = local_index();
    let row = workgroup_index();
    let first = row * k;
    // Less than any input, and not so far that a difference to it overflows.
    let mut mine = vec2(-1e30, 0.0);
    if row < rows {
        for i in (me..k).step_by(128) {
            mine = join(mine, vec2(x[first + i], 1.0));
        }
    }
    seen[me] = mine;
    workgroup_barrier();
    let mut half = 64;
    while half > 0 {
        if me < half {
            seen[me] = join(seen[me], seen[me + half]);
        }
        workgroup_barrier();
        half /= 2;
    }
    let whole = seen[0];
    if row < rows {
        for i in (me..k).step_by(128) {
            y[first + i] = (x[first + i] - whole.x).exp() / whole.y;
        }
    }
}

#[test]
fn rows_of_any_length_become_their_softmax() -> Outcome {
    for gpu in every_device() {
        for (rows, k) in [(1, 1), (3, 127), (7, 129), (2, 3001)] {
            let x: Vec<f32> = floats(12, rows * k).iter().map(|x| x * 20.0).collect();
            let mut y = gpu.alloc::<f32>(x.len() as u64)?;
            gpu.run(&softmax::launch(&gpu.upload(&x)?, &mut y, rows, k)?)?;
            let wanted = x.chunks(k as usize).flat_map(|row| {
                let sum: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
                row.iter().map(move |x| {
                    let value = f64::from(*x).exp() / sum;
                    // WGSL's `exp` is off by 3 + 2 |x| ULP, of two roundings each, and its argument by
                    // one. Arguments go down to -40, at once or in the parts in which joins rescale.
                    // A join has an `exp`, a product and a sum; a division is off by 2.5 ULP.
                    let argument = 5 * 40;
                    let joins = 7 + k.div_ceil(128);
                    let roundings = 2 * (argument + 6) + 8 * joins + 5;
                    Near {
                        value,
                        error: value * gamma(roundings),
                    }
                })
            });
            assert_near(&gpu.download(&y)?, wanted);
        }
    }
    Ok(())
}
