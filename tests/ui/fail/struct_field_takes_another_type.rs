use rlx_kernels::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Complex {
    re: f32,
    im: f32,
}

#[kernel(workgroup_size(64), threads(n))]
fn wrong(y: &mut [f32], n: u32) {
    let z = Complex { re: 1.0, im: n };
    y[global_index()] = z.re;
}

fn main() {}
