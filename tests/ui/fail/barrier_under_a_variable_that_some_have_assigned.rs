use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn flagged(x: &[f32], y: &mut [f32], limit: f32) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_index();
    let mut done = false;
    if x[me] > limit {
        done = true;
    }
    tile[me] = x[me];
    if !done {
        workgroup_barrier();
    }
    y[me] = tile[63 - me];
}

fn main() {}
