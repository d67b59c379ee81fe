//! TQ1_0: y = d · (trit − 1)

use rlx_kernels::prelude::*;

/// 256 weights of three values, five to a byte: trit `n` of byte `b` is the first digit, in base three,
/// of the fraction b · 3ⁿ / 256. 32 bytes hold five runs of 32 weights, 16 more five runs of 16, the last
/// four four runs of 4.
#[format(name = "TQ1_0", ggml = 34, elems = 256, bytes = 54, layout { qs: [u8; 48], qh: [u8; 4], d: f16 })]
impl BlockFormat for TQ1_0 {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        let trit = if i < 160 {
            Self::trit(b.qs(i % 32), i / 32)
        } else if i < 240 {
            Self::trit(b.qs(32 + i % 16), (i - 160) / 16)
        } else {
            Self::trit(b.qh(i % 4), (i - 240) / 4)
        };
        (trit as f32 - 1.0) * b.d()
    }

    fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
        let d = b.d();
        if i < 240 {
            let word = if i < 160 {
                (i % 32) / 4
            } else {
                8 + (i % 16) / 4
            };
            let n = if i < 160 { i / 32 } else { (i - 160) / 16 };
            [
                Self::trits(b.qs_u32(word), n) * d,
                Self::trits(b.qs_u32(word + 1), n) * d,
            ]
        } else {
            let n = (i - 240) / 4;
            [
                Self::trits(b.qh_u32(0), n) * d,
                Self::trits(b.qh_u32(0), n + 1) * d,
            ]
        }
    }

    fn trit(byte: u32, n: u32) -> u32 {
        (((byte * Self::power(n)) & 255) * 3) >> 8
    }

    /// Trit `n` of the four bytes of `word`, less one.
    fn trits(word: u32, n: u32) -> Vec4<f32> {
        let fraction = (unpack4x_u8(word) * Self::power(n)) & Vec4::splat(255);
        to_f32((fraction * 3) >> Vec4::splat(8)) - 1.0
    }

    /// 3ⁿ for n < 5.
    fn power(n: u32) -> u32 {
        let square = if n % 4 < 2 { 1 } else { 9 };
        let first = if n % 2 == 0 { 1 } else { 3 };
        if n == 4 { 81 } else { square * first }
    }
}
