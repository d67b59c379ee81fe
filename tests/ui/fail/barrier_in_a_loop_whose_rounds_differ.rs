use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn sums(x: &[f32], y: &mut [f32], k: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let mut sum = 0.0;
    for i in (local_index()..k).step_by(64) {
        tile[local_index()] = x[i];
        workgroup_barrier();
        sum += tile[63 - local_index()];
    }
    y[local_index()] = sum;
}

fn main() {}
