use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if let Some(at) = n.checked_sub(1) {
        y[at] = x[i] + 1;
    }
    for (k, v) in x.iter().enumerate() {
        y[k] = v * unknown;
    }
}

fn main() {}
