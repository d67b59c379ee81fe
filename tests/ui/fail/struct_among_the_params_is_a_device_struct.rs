use rlx_kernels::prelude::*;

struct Light {
    power: f32,
}

#[kernel(workgroup_size(64), threads(n))]
fn shade(y: &mut [f32], sun: Light, n: u32) {
    let i = global_index();
    if i < n {
        y[i] = sun.power;
    }
}

fn main() {}
