use rlx_kernels::prelude::*;

#[device(impl)]
struct Complex {
    re: f32,
    im: f32,
}

fn main() {}
