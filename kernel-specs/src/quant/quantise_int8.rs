//! Activations to bytes, for products with weights of integers.

use rlx_kernels::prelude::*;

/// Four bytes of one: a product with them is a sum.
#[device]
pub const ONES: u32 = 0x0101_0101;

/// x[i] ≈ d · q[i]: `n` values in blocks of 32, each with `d` = max |x| / 127. A word of `q` holds four of
/// them, the first lowest; `scales` has `d` and d · Σ q of each block, for what has a minimum to take off. An
/// invocation rounds four values; a block that is zero, or below what f32 can divide by, gives zeros.
#[kernel(workgroup_size(64), threads(n / 4))]
#[requires(n % 32 == 0, x.len() >= n / 4, q.len() >= n / 4, scales.len() >= n / 32)]
pub fn quantise_int8(x: &[Vec4<f32>], q: &mut [u32], scales: &mut [Vec2<f32>], n: u32) {
    #[workgroup]
    let largest: [f32; 64];
    #[workgroup]
    let sums: [i32; 64];
    let at = global_index();
    let me = local_index();
    let mut v = Vec4::splat(0.0);
    if at < n / 4 {
        v = x[at];
    }
    let size = v.abs();
    largest[me] = size.x.max(size.y).max(size.z.max(size.w));
    workgroup_barrier();
    let first = me / 8 * 8;
    let mut most = 0.0;
    #[unroll]
    for i in 0..8 {
        most = most.max(largest[first + i]);
    }
    let by = if most > 1e-30 { 1.0 / most } else { 0.0 };
    let bytes = pack4x8snorm(v * by);
    sums[me] = dot4_i8_packed(ONES, bytes);
    workgroup_barrier();
    if at < n / 4 {
        q[at] = bytes;
        if me == first {
            let mut sum = 0;
            #[unroll]
            for i in 0..8 {
                sum += sums[first + i];
            }
            let d = most / 127.0;
            scales[at / 8] = vec2(d, d * sum as f32);
        }
    }
}
