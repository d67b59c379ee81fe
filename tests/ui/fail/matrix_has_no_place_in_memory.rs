use rlx_kernels::prelude::*;

#[device]
struct Pair {
    a: MatrixA<f16, 16>,
    n: u32,
}

#[kernel(workgroup_size(64), groups(1))]
fn wrong(x: &[MatrixC<f32, 8>], y: &mut [f32], c: MatrixC<f32, 8>) {
    #[workgroup]
    let tiles: [MatrixC<f32, 8>; 4];
    y[0] = 1.0;
}

fn main() {}
