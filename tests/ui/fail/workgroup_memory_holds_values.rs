use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: &mut [f32];
    tile[n] = 1.0;
    y[n] = tile[n];
}

fn main() {}
