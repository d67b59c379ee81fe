use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn twice(y: &mut [f32]) {
    #[workgroup]
    let tile: [f32; 64];
    tile[local_index()] = y[local_index()];
    if y[64] > 0.0 {
        storage_barrier();
    }
    y[local_index()] = 2.0 * tile[local_index()];
}

fn main() {}
