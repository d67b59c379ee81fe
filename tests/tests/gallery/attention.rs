//! Attention that never holds its scores (Dao and others, FlashAttention, 2022), forward.

use rlx_kernels::prelude::*;

use crate::{Near, Outcome, assert_near, every_device, floats, gamma};

/// Vectors of a row of q, k, v or y: a head has 32 dimensions.
#[device]
const DIM: u32 = 8;

/// Keys that lie in workgroup memory at a time.
#[device]
const KEYS: u32 = 32;

/// y = softmax(q · kᵀ · scale) · v, for each head of n × 32. An invocation takes a query; it keeps
/// the sum of what it has seen relative to the greatest score so far.
#[kernel(workgroup_size(64), groups(n.div_ceil(64), heads))]
fn attention(
    q: &[Vec4<f32>],
    k: &[Vec4<f32>],
    v: &[Vec4<f32>],
    y: &mut [Vec4<f32>],
    n: u32,
    heads: u32,
    scale: f32,
) {
    #[workgroup]
    let keys: [[Vec4<f32>; DIM]; KEYS];
    #[workgroup]
    let values: [[Vec4<f32>; DIM]; KEYS];
    let me = local_index();
    let head = workgroup_id().y * n * DIM;
    let row = workgroup_id().x * 64 + me;
    let mut query = [Vec4::splat(0.0); DIM];
    if row < n {
        for d in 0..DIM {
            query[d] = q[head + row * DIM + d] * scale;
        }
    }
    // Less than any score, and not so far that a difference to it overflows.
    let mut most = -1e30;
    let mut sum = 0.0;
    let mut out = [Vec4::splat(0.0); DIM];
    for first in (0..n).step_by(KEYS) {
        let count = (n - first).min(KEYS);
        for i in (me..count * DIM).step_by(64) {
            keys[i / DIM][i % DIM] = k[head + first * DIM + i];
            values[i / DIM][i % DIM] = v[head + first * DIM + i];
        }
        workgroup_barrier();
        let mut scores = [0.0; KEYS];
        let mut peak = most;
        for j in 0..count {
            for d in 0..DIM {
                scores[j] += dot(query[d], keys[j][d]);
            }
            peak = peak.max(scores[j]);
        }
        let rescale = (most - peak).exp();
        sum *= rescale;
        for d in 0..DIM {
            out[d] *= rescale;
        }
        for j in 0..count {
            let p = (scores[j] - peak).exp();
            sum += p;
            for d in 0..DIM {
                out[d] += p * values[j][d];
            }
        }
        most = peak;
        workgroup_barrier();
    }
    if row < n {
        for d in 0..DIM {
            y[head + row * DIM + d] = out[d] / sum;
        }
    }
}

/// A row of the result, by the definition.
fn wanted(query: &[f32], keys: &[f32], values: &[f32], scale: f32) -> Vec<Near> {
    let dim = query.len();
    let products = |key: &[f32], f: fn(f64) -> f64| -> f64 {
        let terms = query.iter().zip(key);
        terms
            .map(|(q, k)| f(f64::from(*q) * f64::from(*k)))
            .sum::<f64>()
            * f64::from(scale)
    };
    let scores: Vec<f64> = keys.chunks(dim).map(|key| products(key, |x| x)).collect();
    let sizes = keys.chunks(dim).map(|key| products(key, f64::abs));
    let largest = sizes.fold(0.0, f64::max);
    let sum: f64 = scores.iter().map(|score| score.exp()).sum();
    // How far a score is off, as a share of its power; then `exp` itself, off by 3 + 2 |x| ULP of two
    // roundings each, with a rounded argument of at most twice the largest score, which rescaling
    // reaches in parts; then each key's product and sum, and each tile's `exp` and product.
    let tiles = (keys.len() / dim).div_ceil(32) as u32;
    let arguments = 5 * (2.0 * largest).ceil() as u32;
    let roundings = 6 + arguments + 7 * tiles + 33 * tiles;
    let relative = 2.0 * (gamma(dim as u32 + 2) * largest + gamma(roundings)) + gamma(5);
    (0..dim)
        .map(|d| {
            let share = |j: usize| scores[j].exp() / sum * f64::from(values[j * dim + d]);
            let terms = (0..scores.len()).map(share);
            Near {
                value: terms.clone().sum(),
                error: relative.exp_m1() * terms.map(f64::abs).sum::<f64>(),
            }
        })
        .collect()
}

#[test]
fn tiles_of_keys_give_the_attention_of_all_of_them() -> Outcome {
    for gpu in every_device() {
        let scale = 32.0_f32.sqrt().recip();
        for (heads, n) in [(1, 1), (3, 77), (2, 33)] {
            let [q, k, v] = [13, 14, 15].map(|seed| floats(seed, heads * n * 32));
            let q: Vec<f32> = q.iter().map(|q| q * 8.0).collect();
            let vectors = |x: &[f32]| -> Vec<Vec4<f32>> {
                x.chunks(4).map(|x| vec4(x[0], x[1], x[2], x[3])).collect()
            };
            let [q_buffer, k_buffer, v_buffer] = [&q, &k, &v].map(|x| gpu.upload(&vectors(x)));
            let mut y = gpu.alloc::<Vec4<f32>>(u64::from(heads * n * 8))?;
            let run =
                attention::launch(&q_buffer?, &k_buffer?, &v_buffer?, &mut y, n, heads, scale)?;
            gpu.run(&run)?;
            let found: Vec<f32> = gpu
                .download(&y)?
                .iter()
                .flat_map(|y| y.to_array())
                .collect();
            let head = (n * 32) as usize;
            let heads = q.chunks(head).zip(k.chunks(head).zip(v.chunks(head)));
            let wanted = heads.flat_map(|(q, (k, v))| {
                q.chunks(32)
                    .flat_map(move |query| wanted(query, k, v, scale))
            });
            assert_near(&found, wanted);
        }
    }
    Ok(())
}
