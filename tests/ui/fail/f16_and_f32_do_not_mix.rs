use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64))]
fn scale(x: &[f16], y: &mut [f16], z: &mut [f32], by: f32) {
    let i = global_id().x;
    y[i] = x[i] * 0.5;
    y[i] = x[i] * by;
    z[i] = by + x[i];
    z[i] = x[i];
    y[i] = by;
}

fn main() {}
