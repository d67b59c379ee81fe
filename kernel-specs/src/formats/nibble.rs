//! What formats of 4-bit and 5-bit quants share.

use rlx_kernels::prelude::*;

/// The low nibbles (`high == 0`) or high nibbles (`high == 1`) of the four bytes of `word`, as f32.
#[device]
pub(crate) fn nibbles(word: u32, high: u32) -> Vec4<f32> {
    to_f32(unpack4x_u8((word >> (4 * high)) & 0x0f0f0f0f))
}

/// Four 5-bit quants, a byte each: their low nibbles are those of `word`'s bytes, their fifth bits the
/// four lowest of `high`.
#[device]
pub(crate) fn five_bits(word: u32, high: u32) -> u32 {
    (word & 0x0f0f0f0f)
        | ((high & 1) << 4)
        | ((high & 2) << 11)
        | ((high & 4) << 18)
        | ((high & 8) << 25)
}

/// The signed byte that a 4-bit quant stands for: `q` of the sixteen in the words `a` to `d`.
#[device]
pub(crate) fn look_up(q: u32, a: u32, b: u32, c: u32, d: u32) -> i32 {
    let low = if q % 8 < 4 { a } else { b };
    let high = if q % 8 < 4 { c } else { d };
    let word = if q < 8 { low } else { high };
    (word << (24 - 8 * (q % 4))) as i32 >> 24
}
