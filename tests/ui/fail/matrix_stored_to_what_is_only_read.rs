use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn wrong(x: &[f32], y: &mut [f32]) {
    #[workgroup]
    let tile: [f32; 64];
    let c = MatrixC::<f32, 8>::load_rows(y, 0, 8);
    c.store_rows(x, 0, 8);
    c.store_rows(&tile, 0, 8);
    c.store_columns(&mut tile, 0, 8);
}

fn main() {}
