use rlx_kernels::prelude::*;

fn double(x: f32) -> f32 {
    x * 2.0
}

#[device]
fn quadruple(x: f32) -> f32 {
    double(double(x))
}

fn main() {}
