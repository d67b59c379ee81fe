use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(y: &mut [f32], n: u32, mirror: bool) {
    if mirror {
        y[n] = 1.0;
    }
}

fn main() {}
