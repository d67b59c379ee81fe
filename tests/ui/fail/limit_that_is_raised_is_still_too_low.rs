use rlx_kernels::prelude::*;

#[kernel(workgroup_size(512, 4), threads(n), limits(workgroup_bytes = 20480, invocations = 1024))]
fn wrong(y: &mut [f32], n: u32) {
    #[workgroup]
    let left: [f32; 4096];
    #[workgroup]
    let right: [Vec4<f32>; 512];
    let me = local_index();
    left[me] = 1.0;
    right[me] = Vec4::splat(1.0);
    y[global_index()] = left[me] + right[me].x;
}

fn main() {}
