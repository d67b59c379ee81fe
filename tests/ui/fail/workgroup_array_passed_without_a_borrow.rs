use rlx_kernels::prelude::*;

#[device]
fn sum(x: &[f32]) -> f32 {
    x[0] + x[1]
}

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let i = global_index();
    tile[local_index()] = x[i];
    workgroup_barrier();
    y[i] = sum(tile);
}

fn main() {}
