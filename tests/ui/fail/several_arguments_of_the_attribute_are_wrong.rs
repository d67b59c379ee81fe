use rlx_kernels::prelude::*;

#[kernel(workgroup_size(), thread(n), limits(bindings = 9, bindings = 10))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_id().x;
    if i < n {
        y[i] = x[i] * 2;
    }
}

fn main() {}
