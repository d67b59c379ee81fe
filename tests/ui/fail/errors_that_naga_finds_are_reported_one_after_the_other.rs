use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(y: &mut [f32], z: &mut [u32], n: u32) {
    let i = global_index();
    y[i] = f32::MAX * 2.0;
    z[i] = extract_bits(n, 28, 4);
    y[i + 1] = 0.0 / 0.0;
    z[i + 1] = 1 - 2;
}

fn main() {}
