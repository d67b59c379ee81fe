//! The codebooks of the IQ schemes: ggml's tables of a byte a weight, packed to two or three bits.
//!
//! A word holds two entries of 16 bits, each with eight weights of two bits or four of three, the first
//! lowest.

use rlx_kernels::prelude::*;

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

/// The four lowest numbers of two bits.
#[device]
pub(super) fn pairs(bits: u32) -> Vec4<u32> {
    vec4(bits & 3, (bits >> 2) & 3, (bits >> 4) & 3, (bits >> 6) & 3)
}

/// The four lowest numbers of three bits.
#[device]
pub(super) fn triples(bits: u32) -> Vec4<u32> {
    vec4(bits & 7, (bits >> 3) & 7, (bits >> 6) & 7, (bits >> 9) & 7)
}

/// 8, 25 or 43 for each of the four lowest codes.
#[device]
pub(super) fn thirds(bits: u32) -> Vec4<f32> {
    let code = pairs(bits);
    to_f32(code * 17 + (code >> Vec4::splat(1)) + 8)
}

/// 4, 12 .. 52 or 62 for each of the four codes of an entry.
#[device]
pub(super) fn eighths(bits: u32) -> Vec4<f32> {
    let code = triples(bits);
    to_f32(code * 8 + ((code + 1) >> Vec4::splat(3)) * 2 + 4)
}

/// 1, 3 .. 15 for each of the four codes of an entry.
#[device]
pub(super) fn odd(bits: u32) -> Vec4<f32> {
    to_f32(triples(bits) * 2 + 1)
}

/// `v` with the signs of the four lowest bits: a 1 is minus.
#[device]
pub(super) fn signed(v: Vec4<f32>, bits: u32) -> Vec4<f32> {
    let minus = vec4(bits & 1, (bits >> 1) & 1, (bits >> 2) & 1, (bits >> 3) & 1);
    v * (Vec4::splat(1.0) - to_f32(minus) * 2.0)
}

/// Eight signs of seven bits: an even number of them is minus.
#[device]
pub(super) fn even_signs(seven: u32) -> u32 {
    let bits = seven & 127;
    bits | ((bits.count_ones() & 1) << 7)
}

/// Weight `i` of a run of eight.
#[device]
pub(super) fn pick(run: [Vec4<f32>; 2], i: u32) -> f32 {
    let half = if i < 4 { run[0] } else { run[1] };
    let low = if i % 2 == 0 { half.x } else { half.y };
    let high = if i % 2 == 0 { half.z } else { half.w };
    if i % 4 < 2 { low } else { high }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[u32], bytes: &[u8], weights: fn(u32) -> Vec<f32>) {
        let expanded: Vec<f32> = (0..2 * words.len() as u32)
            .flat_map(|index| weights(entry(words[index as usize / 2], index)))
            .collect();
        let original: Vec<f32> = bytes.iter().map(|byte| f32::from(*byte as i8)).collect();
        assert_eq!(expanded, original);
    }

    #[test]
    fn codebooks_expand_to_ggmls_tables() {
        let eight = |bits| {
            [thirds(bits), thirds(bits >> 8)]
                .map(Vec4::to_array)
                .concat()
        };
        check(&IQ2_XXS, include_bytes!("codebook/iq2xxs_grid.bin"), eight);
        check(&IQ2_XS, include_bytes!("codebook/iq2xs_grid.bin"), eight);
        check(&IQ2_S, include_bytes!("codebook/iq2s_grid.bin"), eight);
        let eighths = |bits| eighths(bits).to_array().to_vec();
        check(
            &IQ3_XXS,
            include_bytes!("codebook/iq3xxs_grid.bin"),
            eighths,
        );
        let odd = |bits| odd(bits).to_array().to_vec();
        check(&IQ3_S, include_bytes!("codebook/iq3s_grid.bin"), odd);
        let signs = |bits| {
            let pairs = [pairs(bits), pairs(bits >> 8)].map(Vec4::to_array).concat();
            pairs.into_iter().map(|code| code as f32 - 1.0).collect()
        };
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
