use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(n))]
fn halves(y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_id().x;
    tile[me] = 1.0;
    if me < 16 {
        workgroup_barrier();
        tile[me] += tile[me + 16];
    }
    if me == 0 && workgroup_index() < n {
        y[workgroup_index()] = tile[0];
    }
}

fn main() {}
