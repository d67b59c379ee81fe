use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn reversed(x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let i = global_index();
    if i >= n {
        return;
    }
    tile[local_index()] = x[i];
    workgroup_barrier();
    y[i] = tile[63 - local_index()];
}

fn main() {}
