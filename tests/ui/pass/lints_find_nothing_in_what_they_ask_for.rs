//! Kernels that do as the lints say.
#![deny(warnings, deprecated, unused)]

use rlx_kernels::prelude::*;

/// y[i] = x[k, i]
#[kernel(workgroup_size(64), threads(n))]
pub fn row(x: &[f32], y: &mut [f32], n: u32, k: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[k * n + i];
    }
}

/// Transposes tiles of 32 × 32.
#[kernel(workgroup_size(32, 8))]
pub fn transpose(x: &[f32], y: &mut [f32], width: u32) {
    #[workgroup]
    let tile: [[f32; 33]; 32];
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

/// Spreads x[i] over its row.
#[kernel(workgroup_size(64), threads(n))]
pub fn spread(x: &[f32], y: &mut [f32], n: u32, w: u32) {
    let i = global_index();
    if i < n {
        let row = i / w * w;
        for j in 0..w {
            y[row + j] = x[i];
        }
    }
}

/// y[i] = Σ x[j, i]
#[kernel(workgroup_size(64), threads(n))]
pub fn sums(x: &[f16], y: &mut [f16], n: u32, k: u32) {
    let i = global_index();
    let mut sum = 0.0;
    for j in 0..k {
        sum += x[j * n + i].to_f32();
    }
    y[i] = f16::from_f32(sum);
}

/// y[i] = 2 · x[i]
#[kernel(workgroup_size(64), threads(n))]
pub fn double(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = 2.0 * x[i];
    }
}

fn main() {}
