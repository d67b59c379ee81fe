use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(y: &mut [f32], n: u32) {
    let i = global_index();
    y[i] = match i {
        0 if n > 4 => 1.0,
        other => 2.0 * other as f32,
    };
}

fn main() {}
