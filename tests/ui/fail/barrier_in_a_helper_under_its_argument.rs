use rlx_kernels::prelude::*;

#[device]
fn wait_if(needed: bool) {
    if needed {
        workgroup_barrier();
    }
}

#[kernel(workgroup_size(64), groups(1))]
fn waits(y: &mut [u32], n: u32) {
    wait_if(n > 1);
    wait_if(local_index() > 1);
    y[local_index()] = n;
}

fn main() {}
