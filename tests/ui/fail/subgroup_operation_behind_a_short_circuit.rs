use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn marks(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n && subgroup_add(x[i]) > 0.0 {
        y[i] = 1.0;
    }
}

fn main() {}
