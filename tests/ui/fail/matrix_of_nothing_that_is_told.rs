use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn wrong(x: &[f32], y: &mut [f32]) {
    let c = MatrixC::zero();
    let d: MatrixC<f32> = MatrixC::<f32, 8>::load_rows(x, 0);
    let e = MatrixC::<f32, 8>::identity();
    MatrixC::<f32, 8>::load_columns(x, 0, 8).store_rows(y, 0, 8);
}

fn main() {}
