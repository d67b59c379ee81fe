use rlx_kernels::prelude::*;

#[device]
struct Pair {
    a: f32,
    b: f32,
}

fn main() {}
