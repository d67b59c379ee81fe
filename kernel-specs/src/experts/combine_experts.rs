//! What the experts of a token gave, in one.

use rlx_kernels::prelude::*;

/// y[t, n] = Σₛ weights[t, s] · x[t, s, n] over the `per` slots of each of `tokens`. An invocation makes a
/// value; it adds in the order of the slots.
#[kernel(workgroup_size(64), threads(tokens * n))]
#[requires(n >= 1, x.len() >= tokens * per * n, weights.len() >= tokens * per, y.len() >= tokens * n)]
pub fn combine_experts(x: &[f32], weights: &[f32], y: &mut [f32], tokens: u32, per: u32, n: u32) {
    let i = global_index();
    let token = i / n;
    if token < tokens {
        let at = i % n;
        let mut sum = 0.0;
        for of in 0..per {
            let slot = token * per + of;
            sum += weights[slot] * x[slot * n + at];
        }
        y[i] = sum;
    }
}
