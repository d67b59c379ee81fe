//! Warnings are errors here so that they are seen.
#![deny(deprecated)]

use rlx_kernels::prelude::*;

/// Transposes tiles of 32 × 32.
#[kernel(workgroup_size(32, 8))]
pub fn transpose(x: &[f32], y: &mut [f32], width: u32) {
    #[workgroup]
    let tile: [[f32; 32]; 32];
    let me = local_id();
    let corner = workgroup_id() * 32;
    for i in (me.y..32).step_by(8) {
        tile[i][me.x] = x[(corner.y + i) * width + corner.x + me.x];
    }
    workgroup_barrier();
    for i in (me.y..32).step_by(8) {
        y[(corner.x + i) * width + corner.y + me.x] = tile[me.x][i];
    }
}

fn main() {}
