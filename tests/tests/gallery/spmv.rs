//! Sparse matrix times vector, rows compressed (Bell and Garland, Efficient Sparse Matrix-Vector
//! Multiplication on CUDA, 2008, the scalar kernel).

use rlx_kernels::prelude::*;

use crate::{Outcome, assert_near, every_device, floats, sum_of_products, words};

/// y[r] = Σ values[i] · x[columns[i]] over starts[r] ≤ i < starts[r + 1]. An invocation takes a row.
#[kernel(workgroup_size(64), threads(rows))]
fn spmv(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32], rows: u32) {
    let row = global_index();
    if row < rows {
        let mut sum = 0.0;
        for i in starts[row]..starts[row + 1] {
            sum += values[i] * x[columns[i]];
        }
        y[row] = sum;
    }
}

#[test]
fn rows_of_any_number_of_entries_are_summed() -> Outcome {
    for gpu in every_device() {
        let (rows, width) = (331, 97);
        let mut starts = vec![0];
        for (row, entries) in words(21, rows, 20).into_iter().enumerate() {
            // Some rows are empty, and one is long.
            let entries = if row == 100 {
                500
            } else {
                entries - entries.min(5)
            };
            starts.push(starts[row] + entries);
        }
        let entries = starts[rows as usize];
        let columns = words(22, entries, width);
        let values = floats(23, entries);
        let x = floats(24, width);
        let mut y = gpu.alloc::<f32>(rows.into())?;
        let run = spmv::launch(
            &gpu.upload(&starts)?,
            &gpu.upload(&columns)?,
            &gpu.upload(&values)?,
            &gpu.upload(&x)?,
            &mut y,
            rows,
        )?;
        gpu.run(&run)?;
        let wanted = starts.windows(2).map(|ends| {
            let term = |i: u32| {
                let x = x[columns[i as usize] as usize];
                f64::from(values[i as usize]) * f64::from(x)
            };
            sum_of_products((ends[0]..ends[1]).map(term), 1)
        });
        assert_near(&gpu.download(&y)?, wanted);
    }
    Ok(())
}
