use rlx_kernels::prelude::*;

#[device]
fn zeros<const N: u32>() -> MatrixC<f32, N> {
    MatrixC::<f32, N>::zero()
}

#[kernel(workgroup_size(64), groups(1))]
fn wrong(x: &[f32], h: &[f16], y: &mut [f16]) {
    let a = MatrixA::<f32, 16>::load_rows(x, 0, 16);
    let b = MatrixB::<f16, 12>::load_rows(h, 0, 12);
    let c = zeros::<4>();
    let e: MatrixC<i32, 8> = MatrixC::<f32, 8>::zero();
    let d = multiply_add(
        MatrixA::<f32, 8>::zero(),
        MatrixB::<f32, 8>::zero(),
        MatrixC::<f16, 8>::zero(),
    );
    d.store_rows(y, 0, 8);
}

fn main() {}
