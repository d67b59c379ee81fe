use rlx_kernels::prelude::*;

#[device]
const STAGES: u32 = 1;

#[kernel(workgroup_size(64), groups(1))]
fn staged(y: &mut [f32]) {
    let me = local_index();
    if STAGES > 1 && me < 16 {
        workgroup_barrier();
    }
    if STAGES > 1 {
        if me < 16 {
            return;
        }
    }
    workgroup_barrier();
    y[me] = 1.0;
}

fn main() {}
