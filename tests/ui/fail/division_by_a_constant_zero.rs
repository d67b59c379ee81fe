use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(y: &mut [u32], n: u32) {
    let i = global_index();
    y[i] = i / 0 + i % (4 - 4);
}

fn main() {}
