use rlx_kernels::prelude::*;

#[device]
fn shared(tile: &mut [f32], value: f32) -> f32 {
    tile[local_index()] = value;
    workgroup_barrier();
    tile[0]
}

#[kernel(workgroup_size(64), threads(n))]
fn spread(x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let i = global_index();
    if i < n {
        y[i] = shared(&mut tile, x[i]);
    }
}

fn main() {}
