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
