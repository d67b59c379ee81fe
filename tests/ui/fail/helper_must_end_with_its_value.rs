use rlx_kernels::prelude::*;

#[device]
fn sigmoid(x: f32) -> f32 {
    let e = (-x).exp();
    1.0 / (1.0 + e);
}

fn main() {}
