//! Four weights in a word, a byte each.

use rlx_kernels::prelude::*;

/// The low nibbles (`high == 0`) or high nibbles (`high == 1`) of the four bytes of `word`.
#[device]
pub(crate) fn nibbles(word: u32, high: u32) -> u32 {
    (word >> (4 * high)) & 0x0f0f0f0f
}

/// The four lowest bits, a byte each.
#[device]
pub(crate) fn bits(bits: u32) -> u32 {
    ((bits & 15) * 0x00204081) & 0x01010101
}

/// The four lowest numbers of two bits, a byte each.
#[device]
pub(crate) fn pairs(bits: u32) -> u32 {
    (bits & 3) | ((bits & 12) << 6) | ((bits & 48) << 12) | ((bits & 192) << 18)
}

/// The four lowest numbers of three bits, a byte each.
#[device]
pub(crate) fn triples(bits: u32) -> u32 {
    (bits & 7) | ((bits & 56) << 5) | ((bits & 448) << 10) | ((bits & 3584) << 15)
}

/// Each byte, at most 127, less `by`, at most 128: no byte borrows of the next.
#[device]
pub(crate) fn less(word: u32, by: u32) -> u32 {
    (word + (128 - by) * 0x01010101) ^ 0x80808080
}

/// Each byte with the sign of its bit: a 1 is minus. No byte is zero.
#[device]
pub(crate) fn signed(word: u32, minus: u32) -> u32 {
    let minus = bits(minus);
    (word ^ (minus * 255)) + minus
}

/// The bytes that the four nibbles of `word`, a byte each, stand for: of the sixteen in the words `a` to
/// `d`.
#[device]
pub(crate) fn look_up(word: u32, a: u32, b: u32, c: u32, d: u32) -> u32 {
    let q = unpack4x_u8(word);
    one_of(q.x, a, b, c, d)
        | (one_of(q.y, a, b, c, d) << 8)
        | (one_of(q.z, a, b, c, d) << 16)
        | (one_of(q.w, a, b, c, d) << 24)
}

/// Byte `q` of sixteen.
#[device]
fn one_of(q: u32, a: u32, b: u32, c: u32, d: u32) -> u32 {
    let low = if q % 8 < 4 { a } else { b };
    let high = if q % 8 < 4 { c } else { d };
    let word = if q < 8 { low } else { high };
    (word >> (8 * (q % 4))) & 255
}
