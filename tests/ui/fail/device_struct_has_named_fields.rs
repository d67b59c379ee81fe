use rlx_kernels::prelude::*;

#[device]
struct Pair(f32, f32);

fn main() {}
