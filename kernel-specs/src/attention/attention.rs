//! Attention over a cache of keys and values.

use rlx_kernels::prelude::*;

/// The longest head.
#[device]
pub const MOST: u32 = 512;

/// Less than any score.
#[device]
pub const LEAST: f32 = -3.0e38;

/// y[t, h] = Σᵢ softmaxᵢ(scale · q[t, h] · k[i, g]) · v[i, g] over the last `window` positions `i` up to
/// positions[t], with `heads / groups` heads `h` to a `g`; where `cap` is above 0, a score `s` becomes
/// cap · tanh(s / cap). A workgroup takes a head of a row: 128 keys at a time, the softmax online (Milakov and
/// Gimelshein, 2018). A row at a position past `capacity` becomes zeros.
#[kernel(workgroup_size(128), groups(rows * heads))]
#[requires(
    d >= 1, d <= 512, groups >= 1, heads >= groups, heads % groups == 0, window >= 1, capacity < 1 << 31,
    positions.len() >= rows, q.len() >= rows * heads * d, y.len() >= rows * heads * d,
    k.len() >= capacity * groups * d, v.len() >= capacity * groups * d
)]
#[allow(clippy::too_many_arguments)]
pub fn attention(
    q: &[f32],
    k: &[f32],
    v: &[f32],
    positions: &[u32],
    y: &mut [f32],
    rows: u32,
    heads: u32,
    groups: u32,
    d: u32,
    capacity: u32,
    window: u32,
    scale: f32,
    cap: f32,
) {
    #[workgroup]
    let query: [f32; MOST];
    #[workgroup]
    let share: [f32; 128];
    #[workgroup]
    let partial: [f32; 128];
    #[workgroup]
    let last: [u32; 1];
    let row = workgroup_index() / heads;
    if row >= rows {
        return;
    }
    let head = workgroup_index() % heads;
    let group = (head / (heads / groups)).min(groups - 1);
    let me = local_index();
    let from = (row * heads + head) * d;
    for i in (me..d).step_by(128) {
        query[i] = q[from + i] * scale;
    }
    if me == 0 {
        last[0] = positions[row];
    }
    let position = workgroup_uniform_load(last[0]);
    let seen = if position < capacity { position + 1 } else { 0 };
    let end = seen.min(capacity);
    let start = end - end.min(window);
    let mut most = LEAST;
    let mut total = 0.0;
    let mut sums = [0.0; 4];
    for base in (start..end).step_by(128) {
        let key = base + me;
        let mut score = LEAST;
        if key < end {
            score = 0.0;
            for i in 0..d {
                // An invocation walks along a key of its own: what a line of cache brings, the next steps take.
                #[allow(uncoalesced_access)]
                {
                    score += query[i] * k[(key * groups + group) * d + i];
                }
            }
            if cap > 0.0 {
                score = cap * (score / cap).clamp(-10.0, 10.0).tanh();
            }
        }
        partial[me] = score;
        workgroup_barrier();
        #[unroll]
        for step in 0..7 {
            if me < 64 >> step {
                partial[me] = partial[me].max(partial[me + (64 >> step)]);
            }
            workgroup_barrier();
        }
        let new = most.max(partial[0]);
        workgroup_barrier();
        let mut weight = 0.0;
        if key < end {
            weight = (score - new).exp();
        }
        share[me] = weight;
        partial[me] = weight;
        workgroup_barrier();
        #[unroll]
        for step in 0..7 {
            if me < 64 >> step {
                partial[me] += partial[me + (64 >> step)];
            }
            workgroup_barrier();
        }
        let fade = (most - new).exp();
        total = total * fade + partial[0];
        most = new;
        #[unroll]
        for part in 0..4 {
            let at = part * 128 + me;
            if at < d {
                let mut sum = 0.0;
                for i in 0..(end - base).min(128) {
                    sum += share[i] * v[((base + i) * groups + group) * d + at];
                }
                sums[part] = sums[part] * fade + sum;
            }
        }
        workgroup_barrier();
    }
    #[unroll]
    for part in 0..4 {
        let at = part * 128 + me;
        if at < d {
            let mut value = 0.0;
            if end > 0 {
                value = sums[part] / total;
            }
            y[from + at] = value;
        }
    }
}
