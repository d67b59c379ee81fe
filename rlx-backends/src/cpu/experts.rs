//! Rows times the weights of their experts.

use rayon::prelude::*;

use super::{WeightRows, matmul};

/// `y[s, n] = Σₖ x[s / per, k] · w[ids[s], n, k]` for all `ids`, each of which is an expert's; `per` slots
/// share a row of `x`.
pub(super) fn matmul(x: &[f32], w: WeightRows<'_>, ids: &[u32], n: u64, y: &mut [f32]) {
    let (rows, width) = (x.len() / w.k, n as usize);
    if rows == 0 || width == 0 {
        return;
    }
    let per = ids.len() / rows;
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_key(|&slot| ids[slot]);
    for group in order.chunk_by(|&a, &b| ids[a] == ids[b]) {
        let own = w.slice(u64::from(ids[group[0]]) * n, n);
        let rows = group.iter().flat_map(|slot| &x[slot / per * w.k..][..w.k]);
        let rows: Vec<f32> = rows.copied().collect();
        let mut columns = vec![0.0; width * group.len()];
        matmul::columns(&rows, own, group.len(), &mut columns);
        for (i, slot) in group.iter().enumerate() {
            let row = &mut y[slot * width..][..width];
            for (y, column) in row.iter_mut().zip(columns.chunks_exact(group.len())) {
                *y = column[i];
            }
        }
    }
}

/// `y[t, n] = Σₛ weights[t, s] · x[t, s, n]`.
pub(super) fn combine(x: &[f32], weights: &[f32], n: usize, y: &mut [f32]) {
    if y.is_empty() {
        return;
    }
    let per = weights.len() / (y.len() / n);
    y.par_chunks_mut(n).enumerate().for_each(|(token, y)| {
        for slot in token * per..(token + 1) * per {
            for (y, x) in y.iter_mut().zip(&x[slot * n..][..n]) {
                *y += weights[slot] * x;
            }
        }
    });
}
