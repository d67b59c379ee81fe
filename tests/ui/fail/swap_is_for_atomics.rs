use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn turn(y: &mut [f32], n: u32) {
    let mut a = n;
    a.swap(1);
    y[a] = 1.0;
}

fn main() {}
