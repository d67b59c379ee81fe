//! Packed weights to f32.

use rlx_kernels::prelude::*;

use crate::formats;

/// y[i] = weight i of `w`, for `n` weights. An invocation decodes a run of eight.
#[kernel(workgroup_size(64), threads(n.div_ceil(8)), instances(F in formats::ALL))]
#[requires(n % F::ELEMS == 0, w.blocks() * F::ELEMS >= n, y.len() >= n)]
pub fn dequantise<F: BlockFormat>(w: &[Packed<F>], y: &mut [f32], n: u32) {
    let at = global_index() * 8;
    if F::ELEMS % 8 == 0 {
        if at < n {
            let v = F::decode8(w.block(at / F::ELEMS), at % F::ELEMS);
            #[unroll]
            for i in 0..8 {
                y[at + i] = v[i / 4][i % 4];
            }
        }
    } else {
        for i in at..(at + 8).min(n) {
            y[i] = F::decode(w.block(i), 0);
        }
    }
}
