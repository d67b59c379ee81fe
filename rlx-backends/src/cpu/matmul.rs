//! Matrix product with a weight.

use rayon::prelude::*;

use super::WeightRows;
use super::lanes::dots;

/// Weight rows that a task decodes at once: few enough to stay in a core's cache, enough that each
/// row of `x` is read once for several of them.
const TASK_ROWS: usize = 16;
/// Weight rows that one pass over a row of `x` serves: with eight lanes each, as many accumulators
/// as SSE has registers to spare.
const PASS_ROWS: usize = 4;

/// `columns[n, m] = Σₖ x[m, k] · w[n, k]`: the product as rows of W give it, each its own column.
pub(super) fn columns(x: &[f32], w: WeightRows<'_>, m: usize, columns: &mut [f32]) {
    if m == 0 {
        return;
    }
    let tasks = columns.par_chunks_mut(TASK_ROWS * m).enumerate();
    tasks.for_each_init(
        || vec![0.0; TASK_ROWS * w.k],
        |decoded, (task, columns)| {
            let rows = columns.len() / m;
            for (i, row) in decoded.chunks_exact_mut(w.k).take(rows).enumerate() {
                w.decode(task * TASK_ROWS + i, row);
            }
            for (i, x) in x.chunks_exact(w.k).enumerate() {
                row_times(x, &decoded[..rows * w.k], |row, sum| {
                    columns[row * m + i] = sum;
                });
            }
        },
    );
}

/// `y[m, n] = columns[n, m]`.
pub(super) fn transpose(columns: &[f32], m: usize, y: &mut [f32]) {
    y.par_chunks_mut(columns.len() / m)
        .enumerate()
        .for_each(|(i, row)| {
            for (sum, column) in row.iter_mut().zip(columns.chunks_exact(m)) {
                *sum = column[i];
            }
        });
}

/// Gives `put` the dot product of `x` with each of the `rows`, which lie one after the other.
fn row_times(x: &[f32], rows: &[f32], mut put: impl FnMut(usize, f32)) {
    let k = x.len();
    let passes = rows.chunks_exact(PASS_ROWS * k);
    let rest = passes.remainder();
    let first = (rows.len() - rest.len()) / k;
    for (pass, rows) in passes.enumerate() {
        let sums = dots::<PASS_ROWS>(x, std::array::from_fn(|i| &rows[i * k..][..k]));
        for (i, sum) in sums.into_iter().enumerate() {
            put(pass * PASS_ROWS + i, sum);
        }
    }
    for (i, row) in rest.chunks_exact(k).enumerate() {
        let [sum] = dots(x, [row]);
        put(first + i, sum);
    }
}
