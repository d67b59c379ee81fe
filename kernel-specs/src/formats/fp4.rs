//! What MXFP4 and NVFP4 share: numbers of one sign, two exponent and one mantissa bits (E2M1).

use rlx_kernels::prelude::*;

use super::nibble::look_up;

/// Twice the number whose bits are `q`: 0, 1, 2, 3, 4, 6, 8, 12, and their opposites.
#[device]
pub(crate) fn doubled(q: u32) -> f32 {
    look_up(q, 0x03020100, 0x0c080604, 0xfdfeff00, 0xf4f8fafc) as f32
}

/// Those of the four bytes of `word`, each at most 15.
#[device]
pub(crate) fn all_doubled(word: u32) -> Vec4<f32> {
    let q = unpack4x_u8(word);
    vec4(doubled(q.x), doubled(q.y), doubled(q.z), doubled(q.w))
}
