use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n), instances(TAPS in [3, 5]))]
fn filter<const TAPS: u32, const WIDE: u32 = 64>(
    y: &mut [f32],
    taps: [f32; TAPS as usize],
    more: [[f32; 2]; WIDE as usize],
    none: [f32; 0],
    n: u32,
) {
    let i = global_index();
    if i < n {
        y[i] = taps[0] + more[0][1];
    }
}

fn main() {}
