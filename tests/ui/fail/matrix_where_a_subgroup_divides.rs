use rlx_kernels::prelude::*;

#[device]
fn stored(c: MatrixC<f32, 8>, y: &mut [f32], at: u32) {
    c.store_rows(y, at, 8);
}

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    // A subgroup goes one way as a whole here, and not below.
    if subgroup_id() == 0 {
        let c = MatrixC::<f32, 8>::load_rows(x, 0, 8);
        c.store_rows(y, 64, 8);
    }
    if i < n {
        let c = MatrixC::<f32, 8>::load_rows(x, 0, 8);
        stored(c + c, y, 0);
    }
}

fn main() {}
