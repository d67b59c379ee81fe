use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(points: &[Vec3<f32>], y: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = points[i].x;
}

fn main() {}
