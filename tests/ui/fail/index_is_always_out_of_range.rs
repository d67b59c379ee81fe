use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_index();
    tile[me] = 1.0;
    y[global_index() % n] = tile[me + 64];
}

fn main() {}
