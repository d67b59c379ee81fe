//! The codebooks of the IQ schemes: ggml's tables of a byte a weight, packed to two or three bits.
//!
//! A word holds two entries of 16 bits, each with eight weights of two bits or four of three, the first
//! lowest.

use rlx_kernels::prelude::*;

use super::bytes::{less, pairs, triples};

/// Which values a table's bytes have.
#[derive(Clone, Copy)]
enum Values {
    /// 8, 25, 43.
    Thirds,
    /// 4, 12, 20, 28, 36, 44, 52, 62.
    Eighths,
    /// 1, 3 .. 15.
    Odd,
    /// -1, 0, 1.
    Signs,
}

/// Packs a table of a byte a weight.
const fn packed<const WORDS: usize>(bytes: &[u8], values: Values) -> [u32; WORDS] {
    let (per_entry, bits) = match values {
        Values::Thirds | Values::Signs => (8, 2),
        Values::Eighths | Values::Odd => (4, 3),
    };
    assert!(bytes.len() == WORDS * 2 * per_entry, "two entries a word");
    let mut words = [0; WORDS];
    let mut i = 0;
    while i < bytes.len() {
        let code = match values {
            Values::Thirds => bytes[i] / 17,
            Values::Eighths => (bytes[i] - 4) / 8,
            Values::Odd => bytes[i] / 2,
            Values::Signs => bytes[i].wrapping_add(1),
        };
        let entry = i / per_entry;
        words[entry / 2] |= (code as u32) << (16 * (entry % 2) + bits * (i % per_entry));
        i += 1;
    }
    words
}

pub(super) const IQ2_XXS: [u32; 128] =
    packed(include_bytes!("codebook/iq2xxs_grid.bin"), Values::Thirds);
pub(super) const IQ2_XS: [u32; 256] =
    packed(include_bytes!("codebook/iq2xs_grid.bin"), Values::Thirds);
pub(super) const IQ2_S: [u32; 512] =
    packed(include_bytes!("codebook/iq2s_grid.bin"), Values::Thirds);
pub(super) const IQ3_XXS: [u32; 128] =
    packed(include_bytes!("codebook/iq3xxs_grid.bin"), Values::Eighths);
pub(super) const IQ3_S: [u32; 256] = packed(include_bytes!("codebook/iq3s_grid.bin"), Values::Odd);
pub(super) const IQ1: [u32; 1024] = packed(include_bytes!("codebook/iq1s_grid.bin"), Values::Signs);

/// Entry `index` of the two in a word.
#[device]
pub(super) fn entry(word: u32, index: u32) -> u32 {
    (word >> (16 * (index % 2))) & 0xffff
}

/// 8, 25 or 43 for each of the four lowest codes, a byte each.
#[device]
pub(super) fn thirds(bits: u32) -> u32 {
    let code = pairs(bits);
    code * 17 + ((code >> 1) & 0x01010101) + 0x08080808
}

/// 4, 12 .. 52 or 62 for each of the four codes of an entry, a byte each.
#[device]
pub(super) fn eighths(bits: u32) -> u32 {
    let code = triples(bits);
    code * 8 + (((code + 0x01010101) >> 3) & 0x01010101) * 2 + 0x04040404
}

/// 1, 3 .. 15 for each of the four codes of an entry, a byte each.
#[device]
pub(super) fn odd(bits: u32) -> u32 {
    triples(bits) * 2 + 0x01010101
}

/// Eight times what the four lowest codes stand for, -1, 0 or 1, and an eighth more, or less where
/// `minus` is 1.
#[device]
pub(super) fn shifted(bits: u32, minus: u32) -> u32 {
    less(pairs(bits) * 8, 7 + 2 * minus)
}

/// Eight signs of seven bits: an even number of them is minus.
#[device]
pub(super) fn even_signs(seven: u32) -> u32 {
    let bits = seven & 127;
    bits | ((bits.count_ones() & 1) << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of each entry's words against ggml's.
    fn check(words: &[u32], bytes: &[u8], weights: fn(u32) -> Vec<u32>) {
        let expanded: Vec<u8> = (0..2 * words.len() as u32)
            .flat_map(|index| weights(entry(words[index as usize / 2], index)))
            .flat_map(u32::to_le_bytes)
            .collect();
        assert_eq!(expanded, bytes);
    }

    #[test]
    fn codebooks_expand_to_ggmls_tables() {
        let eight = |bits| vec![thirds(bits), thirds(bits >> 8)];
        check(&IQ2_XXS, include_bytes!("codebook/iq2xxs_grid.bin"), eight);
        check(&IQ2_XS, include_bytes!("codebook/iq2xs_grid.bin"), eight);
        check(&IQ2_S, include_bytes!("codebook/iq2s_grid.bin"), eight);
        let eighths = |bits| vec![eighths(bits)];
        check(
            &IQ3_XXS,
            include_bytes!("codebook/iq3xxs_grid.bin"),
            eighths,
        );
        let odd = |bits| vec![odd(bits)];
        check(&IQ3_S, include_bytes!("codebook/iq3s_grid.bin"), odd);
        let signs = |bits| vec![less(pairs(bits), 1), less(pairs(bits >> 8), 1)];
        check(&IQ1, include_bytes!("codebook/iq1s_grid.bin"), signs);
    }

    #[test]
    fn an_even_number_of_signs_is_minus() {
        for seven in 0..128 {
            let signs = even_signs(seven);
            assert_eq!(signs & 127, seven);
            assert_eq!(signs.count_ones() % 2, 0);
        }
    }
}
