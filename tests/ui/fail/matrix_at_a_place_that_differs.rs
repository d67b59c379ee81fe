use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn wrong(x: &[f32], y: &mut [f32]) {
    let me = local_index();
    let c = MatrixC::<f32, 8>::load_rows(x, me * 64, 8);
    let d = c * x[me];
    d.store_rows(y, subgroup_id() * 64, subgroup_lane());
}

fn main() {}
