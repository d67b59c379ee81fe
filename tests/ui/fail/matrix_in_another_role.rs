use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn wrong(a: &[f16], b: &[f16], y: &mut [f32]) {
    let a = MatrixA::<f16, 16>::load_rows(a, 0, 16);
    let b = MatrixA::<f16, 16>::load_columns(b, 0, 16);
    let c = multiply_add(a, b, MatrixC::<f32, 16>::zero());
    let d = multiply_add(a, 2.0, c);
    d.store_rows(y, 0, 16);
}

fn main() {}
