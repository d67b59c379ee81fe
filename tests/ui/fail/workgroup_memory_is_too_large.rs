use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 5000];
    let i = global_index();
    tile[local_index()] = x[i];
    workgroup_barrier();
    y[i] = tile[0];
}

fn main() {}
