use rlx_kernels::prelude::*;

/// y[i] = x[i, 0]
#[deny(uncoalesced_access)]
#[kernel(workgroup_size(64), threads(n))]
pub fn first_of_each_row(x: &[f32], y: &mut [f32], n: u32, k: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[i * k];
    }
}

fn main() {}
