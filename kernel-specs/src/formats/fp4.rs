//! What MXFP4 and NVFP4 share: numbers of one sign, two exponent and one mantissa bits (E2M1).

use rlx_kernels::prelude::*;

use super::bytes::look_up;

/// Twice the numbers whose bits the bytes of `word` are: 0, 1, 2, 3, 4, 6, 8, 12, and their opposites.
#[device]
pub(crate) fn doubled(word: u32) -> u32 {
    look_up(word, 0x03020100, 0x0c080604, 0xfdfeff00, 0xf4f8fafc)
}
