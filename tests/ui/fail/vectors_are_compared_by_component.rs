use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn compare(x: &[Vec2<f32>], y: &mut [u32], n: u32) {
    let i = global_index();
    if x[i] == x[i + 1] {
        y[i] = 1;
    }
    if x[i].cmplt(x[i + 1]) {
        y[i] = 2;
    }
    y[i] = any(x[i]) as u32;
}

fn main() {}
