use rlx_kernels::prelude::*;

#[device]
trait Activation {
    fn apply(x: f32) -> f32;
}

#[device(impl Activation)]
struct Relu;

#[device]
impl Activation for Relu {
    fn apply(x: f32) -> f32 {
        x.max(0.0)
    }
}

#[device]
fn of(_: Relu, x: f32) -> f32 {
    let relu = Relu {};
    Relu::apply(x)
}

#[device]
struct Nothing;

fn main() {}
