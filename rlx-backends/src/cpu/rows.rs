//! Rows of a weight as f32.

use rayon::prelude::*;

use super::WeightRows;

/// `y[t, k] = w[ids[t], k]`; every id is below the number of rows.
pub(super) fn gather(w: WeightRows<'_>, ids: &[u32], y: &mut [f32]) {
    y.par_chunks_mut(w.k)
        .zip(ids)
        .for_each(|(row, &id)| w.decode(id as usize, row));
}

/// `y[n, k] = w[n, k]`.
pub(super) fn dequantise(w: WeightRows<'_>, y: &mut [f32]) {
    y.par_chunks_mut(w.k)
        .enumerate()
        .for_each(|(n, row)| w.decode(n, row));
}

/// `y[t, k] = x[ids[t], k]`; every id is below the number of rows.
pub(super) fn take(x: &[f32], k: usize, ids: &[u32], y: &mut [f32]) {
    if k == 0 {
        return;
    }
    for (y, &id) in y.chunks_exact_mut(k).zip(ids) {
        y.copy_from_slice(&x[id as usize * k..][..k]);
    }
}

/// `state[positions[t]] = rows[t]`; a row at a position past the end is left out.
pub(super) fn append(rows: &[f32], positions: &[u32], state: &mut [f32]) {
    if rows.is_empty() {
        return;
    }
    let width = rows.len() / positions.len();
    for (row, &position) in rows.chunks_exact(width).zip(positions) {
        let place = state.chunks_exact_mut(width).nth(position as usize);
        if let Some(place) = place {
            place.copy_from_slice(row);
        }
    }
}
