use rlx_kernels::prelude::*;

#[device]
enum Side {
    Left,
    Right,
}

fn main() {}
