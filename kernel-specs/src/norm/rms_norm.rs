//! Root-mean-square norm (Zhang and Sennrich, 2019).

use rlx_kernels::prelude::*;

/// y = x / √(mean(x²) + eps) · weight, for each row of `k`. A workgroup takes a row.
#[kernel(workgroup_size(256), groups(rows))]
#[requires(x.len() >= rows * k, weight.len() >= k, y.len() >= rows * k)]
pub fn rms_norm(x: &[f32], weight: &[f32], y: &mut [f32], rows: u32, k: u32, eps: f32) {
    #[workgroup]
    let partial: [f32; 256];
    let row = workgroup_index();
    let me = local_index();
    let first = row * k;
    let mut sum = 0.0;
    if row < rows {
        for i in (me..k).step_by(256) {
            let v = x[first + i];
            sum += v * v;
        }
    }
    partial[me] = sum;
    workgroup_barrier();
    #[unroll]
    for step in 0..8 {
        if me < 128 >> step {
            partial[me] += partial[me + (128 >> step)];
        }
        workgroup_barrier();
    }
    let scale = 1.0 / (partial[0] / k as f32 + eps).sqrt();
    if row < rows {
        for i in (me..k).step_by(256) {
            y[first + i] = x[first + i] * scale * weight[i];
        }
    }
}
