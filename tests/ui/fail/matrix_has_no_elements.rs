use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn wrong(x: &[f32], y: &mut [f32]) {
    let c = MatrixC::<f32, 8>::load_rows(x, 0, 8);
    y[0] = c[0];
    y[1] = c.x;
    y[2] = c.get(0);
}

fn main() {}
