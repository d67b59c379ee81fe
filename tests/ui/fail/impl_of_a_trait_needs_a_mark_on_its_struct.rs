use rlx_kernels::prelude::*;

#[device]
trait Activation {
    fn apply(x: f32) -> f32;
}

#[device(impl)]
struct Relu {
    slope: f32,
}

#[device]
impl Relu {
    const K: f32 = 1.0;
}

#[device]
impl Activation for Relu {
    fn apply(x: f32) -> f32 {
        x.max(0.0)
    }
}

#[device(impl Activation)]
struct Gelu;

fn main() {}
