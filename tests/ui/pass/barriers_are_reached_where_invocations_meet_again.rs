use rlx_kernels::prelude::*;

#[device]
fn clipped(x: f32) -> f32 {
    if x > 1.0 {
        return 1.0;
    }
    x
}

#[kernel(workgroup_size(64), threads(n))]
fn reversed(x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let i = global_index();
    let me = local_index();
    if i < n {
        tile[me] = clipped(x[i]);
    }
    workgroup_barrier();
    for at in me..64 {
        if tile[at] < 0.0 {
            break;
        }
        tile[me] += 1.0;
    }
    workgroup_barrier();
    let sum = subgroup_add(tile[me]);
    if i < n {
        y[i] = sum + tile[63 - me];
    }
}

fn main() {}
