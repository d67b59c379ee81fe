use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn powers(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[i].powi(n as i32);
    }
}

fn main() {}
