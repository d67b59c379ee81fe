use rlx_kernels::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Place {
    at: Vec3<u64>,
    bits: [Vec4<u64>; 2],
}

#[kernel(workgroup_size(64), threads(n))]
fn shade(y: &mut [u64], place: Place, n: u32, last: Vec3<u64>) {
    let i = global_index();
    if i < n {
        y[i] = place.at.x + last.x;
    }
}

fn main() {}
