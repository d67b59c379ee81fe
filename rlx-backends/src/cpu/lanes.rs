//! Sums in f32, in several independent lanes: a compiler may not reorder a sum of floats, so a
//! single accumulator would neither vectorise nor round as little.

/// Lanes a sum.
const LANES: usize = 8;

/// The dot product of `x` with each of `rows`, all of one length. A row's result does not depend on
/// the rows beside it.
pub(super) fn dots<const ROWS: usize>(x: &[f32], rows: [&[f32]; ROWS]) -> [f32; ROWS] {
    let (x_runs, x_rest) = x.as_chunks::<LANES>();
    let split = rows.map(|row| row.as_chunks::<LANES>());
    let mut sums = [[0.0_f32; LANES]; ROWS];
    for (i, x) in x_runs.iter().enumerate() {
        for (sum, (runs, _)) in sums.iter_mut().zip(&split) {
            let run = &runs[i];
            for lane in 0..LANES {
                sum[lane] += x[lane] * run[lane];
            }
        }
    }
    for (sum, (_, rest)) in sums.iter_mut().zip(&split) {
        for ((sum, x), w) in sum.iter_mut().zip(x_rest).zip(*rest) {
            *sum += x * w;
        }
    }
    sums.map(total)
}

/// Σ x².
pub(super) fn sum_of_squares(x: &[f32]) -> f32 {
    let [sum] = dots(x, [x]);
    sum
}

/// The sum of the lanes, in pairs.
fn total(lanes: [f32; LANES]) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
