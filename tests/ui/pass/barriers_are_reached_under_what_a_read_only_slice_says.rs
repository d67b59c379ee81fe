use rlx_kernels::prelude::*;

#[device]
fn is_set(flags: &[u32], at: u32) -> bool {
    flags[at / 32] >> (at % 32) & 1 == 1
}

#[kernel(workgroup_size(64), groups(n))]
fn kept(flags: &[u32], x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let row = workgroup_index();
    let me = local_index();
    let mut wanted = row < n;
    if wanted {
        wanted = is_set(flags, row);
    }
    if wanted {
        tile[me] = x[64 * row + me];
        workgroup_barrier();
        y[64 * row + me] = tile[63 - me];
    }
}

fn main() {}
