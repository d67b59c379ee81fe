use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn wrong(x: &[f32], y: &mut [f32]) {
    let a = MatrixA::<f32, 8>::load_rows(x, 0, 8);
    let c = MatrixC::<f32, 8>::load_rows(x, 0, 8);
    let d = c * c;
    let e = c / 2.0;
    let f = -c;
    let g = c + 1.0;
    let h = c + a;
    let i = c * 2;
    if c == c {
        c.store_rows(y, 0, 8);
    }
}

fn main() {}
