//! Rows of a packed matrix by their numbers: token embedding.

use rlx_kernels::prelude::*;

use crate::formats;

/// y[t, ..] = row ids[t] of a weight, for `tokens` ids and rows of `k` weights, of which `w` has `rows` from row
/// `first`. Where that is row 0, other ids give zeros, else what is there stays; whoever has the ids on the
/// host refuses those of no row before.
#[kernel(workgroup_size(64), threads(tokens * k.div_ceil(8)), instances(F in formats::ALL))]
#[requires(k % F::ELEMS == 0, w.blocks() >= rows * k / F::ELEMS, ids.len() >= tokens, y.len() >= tokens * k)]
pub fn gather_rows<F: BlockFormat>(
    w: &[Packed<F>],
    ids: &[u32],
    y: &mut [f32],
    tokens: u32,
    k: u32,
    rows: u32,
    first: u32,
) {
    let runs = k.div_ceil(8);
    let token = global_index() / runs;
    let at = (global_index() % runs) * 8;
    if token < tokens && at < k {
        let id = ids[token];
        let row = if id < first { rows } else { id - first };
        let out = token * k + at;
        let count = (k - at).min(8);
        if row >= rows {
            if first == 0 {
                for i in 0..count {
                    y[out + i] = 0.0;
                }
            }
        } else if F::ELEMS % 8 == 0 {
            let v = F::decode8(w.block(row * (k / F::ELEMS) + at / F::ELEMS), at % F::ELEMS);
            #[unroll]
            for i in 0..8 {
                y[out + i] = v[i / 4][i % 4];
            }
        } else {
            for i in 0..count {
                y[out + i] = F::decode(w.block(row * k + at + i), 0);
            }
        }
    }
}
