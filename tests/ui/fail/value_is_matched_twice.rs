use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    match i {
        1 | 2 => y[i] = 1.0,
        2 => y[i] = 2.0,
        _ => {}
    }
}

fn main() {}
