//! Activations to halves, for products by cooperative matrices.

use rlx_kernels::prelude::*;

/// Four halves a place that a row of `k` takes: whole runs of eight.
#[device]
pub fn pitch(k: u32) -> u32 {
    (k + 7) / 8 * 2
}

/// x[i] = scale · y[i] for each of `rows` rows of `k`, zeros past their ends. A row's scale is the power of two
/// that puts its largest value between 2¹⁴ and 2¹⁵, so that no half overflows and none of weight is lost. A
/// workgroup takes a row.
#[kernel(workgroup_size(64), groups(rows))]
#[requires(k < 1 << 31, x.len() >= rows * k, y.len() >= rows * (k.div_ceil(8) * 2), scales.len() >= rows)]
pub fn halve_rows(x: &[f32], y: &mut [Vec4<f16>], scales: &mut [f32], rows: u32, k: u32) {
    #[workgroup]
    let largest: [f32; 64];
    let row = workgroup_index();
    if row >= rows {
        return;
    }
    let me = local_index();
    let first = row * k;
    let mut most = 0.0;
    for i in (me..k).step_by(64) {
        most = most.max(x[first + i].abs());
    }
    largest[me] = most;
    workgroup_barrier();
    #[unroll]
    for step in 0..6 {
        if me < 32 >> step {
            largest[me] = largest[me].max(largest[me + (32 >> step)]);
        }
        workgroup_barrier();
    }
    // Rows of zeros, or of what is not finite, stay as they are.
    let exponent = largest[0].to_bits() >> 23;
    let has_scale = exponent > 14 && exponent < 255;
    let scale = if has_scale {
        f32::from_bits((exponent - 14) << 23)
    } else {
        1.0
    };
    let by = 1.0 / scale;
    for four in (me..pitch(k)).step_by(64) {
        let mut v = Vec4::splat(0.0);
        #[unroll]
        for i in 0..4 {
            if four * 4 + i < k {
                v[i] = x[first + four * 4 + i];
            }
        }
        y[row * pitch(k) + four] = to_f16(v * by);
    }
    if me == 0 {
        scales[row] = scale;
    }
}
