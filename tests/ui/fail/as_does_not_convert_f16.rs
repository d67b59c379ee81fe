use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64))]
fn convert(x: &[f16], y: &mut [f16], n: &mut [u32], by: f32) {
    let i = global_id().x;
    y[i] = by as f16;
    y[i] = i as f16;
    n[i] = x[i] as u32;
    let wide = x[i] as f32;
}

fn main() {}
