use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn step(corners: &mut [[Vec3<f32>; 3]], n: u32) {
    let i = global_index();
    if i < n {
        corners[i][0].x += 1.0;
    }
}

fn main() {}
