use rlx_kernels::prelude::*;

#[device]
fn first(x: &[f32], at: u32) -> f32 {
    x[at] + at
}

fn main() {}
