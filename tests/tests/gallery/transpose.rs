//! Transpose through tiles (Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA, 2009).

use rlx_kernels::prelude::*;

use crate::{Outcome, every_device, floats};

/// y[j, i] = x[i, j], x of `rows` × `columns`. A workgroup of 32 × 8 turns a tile of 32 × 32, reading
/// and writing whole runs. A row of the tile has one number more than it needs, so that a column
/// touches every bank.
#[kernel(workgroup_size(32, 8), groups(columns.div_ceil(32), rows.div_ceil(32)))]
fn transpose(x: &[f32], y: &mut [f32], rows: u32, columns: u32) {
    #[workgroup]
    let tile: [[f32; 33]; 32];
    let me = local_id();
    let left = workgroup_id().x * 32;
    let top = workgroup_id().y * 32;
    for i in (me.y..32).step_by(8) {
        if top + i < rows && left + me.x < columns {
            tile[i][me.x] = x[(top + i) * columns + left + me.x];
        }
    }
    workgroup_barrier();
    for i in (me.y..32).step_by(8) {
        if left + i < columns && top + me.x < rows {
            y[(left + i) * rows + top + me.x] = tile[me.x][i];
        }
    }
}

#[test]
fn rows_become_columns_whatever_their_number() -> Outcome {
    for gpu in every_device() {
        for (rows, columns) in [(1, 1), (31, 33), (70, 5), (129, 257)] {
            let x = floats(4, rows * columns);
            let mut y = gpu.alloc::<f32>(x.len() as u64)?;
            let run = transpose::launch(&gpu.upload(&x)?, &mut y, rows, columns)?;
            gpu.run(&run)?;
            let wanted: Vec<f32> = (0..rows * columns)
                .map(|at| x[(at % rows * columns + at / rows) as usize])
                .collect();
            assert_eq!(gpu.download(&y)?, wanted, "{rows} rows, {columns} columns");
        }
    }
    Ok(())
}
