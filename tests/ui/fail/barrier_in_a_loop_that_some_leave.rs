use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn search(x: &[f32], y: &mut [u32], k: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_index();
    let mut found = 0;
    for i in 0..k {
        tile[me] = x[64 * i + me];
        workgroup_barrier();
        if tile[63 - me] > 1.0 {
            found = i;
            break;
        }
    }
    y[me] = found;
}

fn main() {}
