use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn skips(x: &[f32], y: &mut [f32], k: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_index();
    for i in 0..k {
        if x[64 * i + me] == 0.0 {
            continue;
        }
        tile[me] += x[64 * i + me];
        workgroup_barrier();
    }
    y[me] = tile[63 - me];
}

fn main() {}
