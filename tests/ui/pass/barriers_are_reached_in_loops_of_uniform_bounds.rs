use rlx_kernels::prelude::*;

#[device]
fn reduce(tile: &mut [f32], width: u32) {
    let me = local_index();
    let mut half = width / 2;
    while half > 0 {
        if me < half {
            tile[me] += tile[me + half];
        }
        workgroup_barrier();
        half /= 2;
    }
}

#[kernel(workgroup_size(64), groups(1))]
fn sums(x: &[f32], y: &mut [f32], rows: u32) {
    #[workgroup]
    let tile: [f32; 64];
    let me = local_index();
    for row in (0..rows).step_by(num_subgroups()) {
        if row == 7 {
            break;
        }
        tile[me] = x[64 * row + me];
        workgroup_barrier();
        #[unroll]
        for step in 0..2 {
            if step == 0 {
                reduce(&mut tile, 64);
            }
        }
        if me == 0 {
            y[row] = tile[0];
        }
        workgroup_barrier();
    }
}

fn main() {}
