use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn total(x: &[f32], y: &mut [f32]) {
    let mut sum = x[local_index()];
    if subgroup_lane() < 4 {
        sum = subgroup_add(sum);
    }
    y[local_index()] = sum;
}

fn main() {}
