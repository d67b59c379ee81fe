//! Positions and attention.

use rayon::prelude::*;
use rlx_core::{RopeLayout, Scores};

use super::WeightRows;
use super::lanes::dots;

/// Rotates pairs of the elements of heads of `d` by the angles in `table` of their row's position; zeros for
/// a row at a position past it.
pub(super) fn rope(
    x: &[f32],
    table: WeightRows<'_>,
    positions: &[u32],
    layout: RopeLayout,
    d: usize,
    y: &mut [f32],
) {
    if y.is_empty() {
        return;
    }
    let (width, half) = (y.len() / positions.len(), table.k / 2);
    let rows = y.par_chunks_mut(width).zip(x.par_chunks(width));
    rows.zip(positions).for_each(|((y, x), &position)| {
        if u64::from(position) >= table.n {
            y.fill(0.0);
            return;
        }
        let mut angles = vec![0.0; table.k];
        table.decode(position as usize, &mut angles);
        let (cos, sin) = angles.split_at(half);
        for (y, x) in y.chunks_exact_mut(d).zip(x.chunks_exact(d)) {
            y.copy_from_slice(x);
            for pair in 0..half {
                let (a, b) = match layout {
                    RopeLayout::Adjacent => (2 * pair, 2 * pair + 1),
                    RopeLayout::Halves => (pair, pair + half),
                };
                y[a] = x[a] * cos[pair] - x[b] * sin[pair];
                y[b] = x[a] * sin[pair] + x[b] * cos[pair];
            }
        }
    });
}

/// Keys and values by position.
pub(super) struct Cache<'a> {
    pub keys: &'a [f32],
    pub values: &'a [f32],
    /// Positions, heads, elements a head.
    pub shape: &'a [u64],
}

/// `y[t, h]` = the values up to `positions[t]`, each times its share in the softmax of the scores.
pub(super) fn attention(
    q: &[f32],
    cache: &Cache<'_>,
    positions: &[u32],
    scores: &Scores,
    y: &mut [f32],
) {
    let &[capacity, groups, d] = cache.shape else {
        return;
    };
    let (groups, d) = (groups as usize, d as usize);
    if y.is_empty() {
        return;
    }
    let heads = y.len() / positions.len() / d;
    let outputs = y.par_chunks_mut(d).zip(q.par_chunks(d)).enumerate();
    outputs.for_each_init(Vec::new, |weights, (index, (y, q))| {
        let position = u64::from(positions[index / heads]);
        y.fill(0.0);
        if position >= capacity {
            return;
        }
        let group = index % heads / (heads / groups);
        let end = position as usize + 1;
        let start = scores
            .window
            .map_or(0, |window| end.saturating_sub(window as usize));
        let row = |of: usize| (of * groups + group) * d;
        weights.clear();
        weights.extend((start..end).map(|of| {
            let [dot] = dots(q, [&cache.keys[row(of)..][..d]]);
            let score = dot * scores.scale;
            match scores.softcap {
                Some(cap) => cap * (score / cap).tanh(),
                None => score,
            }
        }));
        let most = weights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut total = 0.0;
        for weight in weights.iter_mut() {
            *weight = (*weight - most).exp();
            total += *weight;
        }
        for (of, weight) in (start..end).zip(weights.iter()) {
            for (y, v) in y.iter_mut().zip(&cache.values[row(of)..][..d]) {
                *y += weight * v;
            }
        }
        for y in y.iter_mut() {
            *y /= total;
        }
    });
}
