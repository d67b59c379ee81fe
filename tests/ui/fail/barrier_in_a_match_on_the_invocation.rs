use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), groups(1))]
fn roles(y: &mut [u32]) {
    match local_index() % 4 {
        0 => workgroup_barrier(),
        1 | 2 => storage_barrier(),
        _ => {}
    }
    y[local_index()] = 1;
}

fn main() {}
