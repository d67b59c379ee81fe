//! Norms over the innermost extent.

use rayon::prelude::*;

use super::WeightRows;
use super::lanes::sum_of_squares;

/// `y[.., k] = x[.., k] / sqrt(mean(x²) + eps) · weight[k]`.
pub(super) fn rms_norm(x: &[f32], weight: WeightRows<'_>, eps: f32, y: &mut [f32]) {
    let k = weight.k;
    let mut scale = vec![0.0; k];
    weight.decode(0, &mut scale);
    y.par_chunks_mut(k).zip(x.par_chunks(k)).for_each(|(y, x)| {
        let rms = (sum_of_squares(x) / k as f32 + eps).sqrt();
        for ((y, x), scale) in y.iter_mut().zip(x).zip(&scale) {
            *y = x / rms * scale;
        }
    });
}
