//! TQ1_0: y = d · (trit − 1)

use rlx_kernels::prelude::*;

use super::bytes::less;

/// 256 weights of three values, five to a byte: trit `n` of byte `b` is the first digit, in base three,
/// of the fraction b · 3ⁿ / 256. 32 bytes hold five runs of 32 weights, 16 more five runs of 16, the last
/// four four runs of 4.
#[format(
    name = "TQ1_0", ggml = 34, elems = 256, bytes = 54, run = 32,
    layout { qs: [u8; 48], qh: [u8; 4], d: f16 },
)]
impl BlockFormat for TQ1_0 {
    fn quants(b: Block<Self>, i: u32) -> u32 {
        if i < 160 {
            Self::trits(b.qs_u32((i % 32) / 4), i / 32)
        } else if i < 240 {
            Self::trits(b.qs_u32(8 + (i % 16) / 4), (i - 160) / 16)
        } else {
            Self::trits(b.qh_u32(0), (i - 240) / 4)
        }
    }

    fn scale(b: Block<Self>, _i: u32) -> f32 {
        b.d()
    }

    /// Trit `n` of the four bytes of `word`, less one.
    fn trits(word: u32, n: u32) -> u32 {
        let fraction = (unpack4x_u8(word) * Self::power(n)) & Vec4::splat(255);
        less(pack4x_u8((fraction * 3) >> Vec4::splat(8)), 1)
    }

    /// 3ⁿ for n < 5.
    fn power(n: u32) -> u32 {
        let square = if n % 4 < 2 { 1 } else { 9 };
        let first = if n % 2 == 0 { 1 } else { 3 };
        if n == 4 { 81 } else { square * first }
    }
}
