use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn wrong(a: &[f32], b: &[Vec2<f16>], y: &mut [f16]) {
    #[workgroup]
    let tile: [f16; 256];
    let a = MatrixA::<f16, 16>::load_rows(a, 0, 16);
    let b = MatrixB::<f16, 16>::load_rows(b, 0, 16);
    let d = MatrixA::<f16, 16>::load_rows(tile, 0, 16);
    let c = multiply_add(d, b, MatrixC::<f32, 16>::zero());
    c.store_rows(y, 0, 16);
}

fn main() {}
