use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(n))]
fn reversed(x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_index();
    let row = workgroup_index();
    if n > 0 && row < n {
        tile[me] = x[64 * row + me];
        workgroup_barrier();
        y[64 * row + me] = tile[63 - me];
    }
    if row >= n {
        return;
    }
    storage_barrier();
}

fn main() {}
