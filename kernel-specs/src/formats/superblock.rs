//! What Q4_K and Q5_K share: eight 6-bit scales and eight 6-bit minima in twelve bytes.

use rlx_kernels::prelude::*;

/// Scale `j` of the words `s0`, `s1`, `s2`: the first four lie whole in `s0`; of the others, four bits
/// lie in `s2` and the upper two in `s0`.
#[device]
pub(crate) fn scale(s0: u32, s2: u32, j: u32) -> u32 {
    let shift = 8 * (j % 4);
    if j < 4 {
        (s0 >> shift) & 63
    } else {
        ((s2 >> shift) & 15) | (((s0 >> (shift + 6)) & 3) << 4)
    }
}

/// Minimum `j`: as the scales, from `s1` and the upper nibbles of `s2`.
#[device]
pub(crate) fn minimum(s1: u32, s2: u32, j: u32) -> u32 {
    let shift = 8 * (j % 4);
    if j < 4 {
        (s1 >> shift) & 63
    } else {
        ((s2 >> (shift + 4)) & 15) | (((s1 >> (shift + 6)) & 3) << 4)
    }
}
