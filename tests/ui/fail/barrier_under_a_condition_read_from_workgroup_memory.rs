use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn first(x: &[u32], y: &mut [u32]) {
    #[workgroup]
    let tile: [u32; 64];
    tile[local_index()] = x[local_index()];
    workgroup_barrier();
    let all = tile[0];
    while all > 0 {
        workgroup_barrier();
    }
    y[local_index()] = all;
}

fn main() {}
