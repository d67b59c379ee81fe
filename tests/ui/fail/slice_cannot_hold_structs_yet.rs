use rlx_kernels::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Complex {
    re: f32,
    im: f32,
}

#[kernel(workgroup_size(64), threads(n))]
fn wrong(z: &[Complex], y: &mut [f32], n: u32) {
    y[global_index()] = z[global_index()].re;
}

fn main() {}
