use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn swapped(x: &[f32], y: &mut [f32]) {
    let me = local_index();
    y[me] = subgroup_shuffle_xor(x[me], me % 2);
}

fn main() {}
