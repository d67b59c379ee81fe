use rlx_kernels::prelude::*;

#[device]
fn is_even(i: u32) -> bool {
    i % 2 == 0
}

#[kernel(workgroup_size(64), groups(1))]
fn evens(y: &mut [f32]) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_index();
    tile[me] = 1.0;
    if is_even(me) {
        workgroup_barrier();
    }
    y[me] = tile[63 - me];
}

fn main() {}
