//! What formats of 4-bit quants share.

use rlx_kernels::prelude::*;

/// The low nibbles (`high == 0`) or high nibbles (`high == 1`) of the four bytes of `word`, as f32.
#[device]
pub(crate) fn nibbles(word: u32, high: u32) -> Vec4<f32> {
    to_f32(unpack4x_u8((word >> (4 * high)) & 0x0f0f0f0f))
}
