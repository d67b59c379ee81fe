//! Philox 4×32-10 (Salmon et al., 2011): random numbers by their place in a stream.

/// A stream of random numbers: any of them is computed from the seed and its place alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    seed: u64,
    next: u64,
}

impl Philox {
    /// The stream of a seed, from its first number.
    pub const fn new(seed: u64) -> Self {
        Self::at(seed, 0)
    }

    /// The stream of a seed, from number `next`.
    pub const fn at(seed: u64, next: u64) -> Self {
        Self { seed, next }
    }

    /// The next number, at least 0 and below 1, in steps of 2⁻²⁴.
    pub fn uniform(&mut self) -> f32 {
        let counter = [self.next as u32, (self.next >> 32) as u32, 0, 0];
        let [word, ..] = philox(counter, [self.seed as u32, (self.seed >> 32) as u32]);
        self.next = self.next.wrapping_add(1);
        (word >> 8) as f32 / 16_777_216.0
    }
}

/// Ten rounds over a counter.
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let [a, b, c, d] = counter;
        let low = u64::from(a) * 0xd251_1f53;
        let high = u64::from(c) * 0xcd9e_8d57;
        counter = [
            (high >> 32) as u32 ^ b ^ key[0],
            high as u32,
            (low >> 32) as u32 ^ d ^ key[1],
            low as u32,
        ];
        key = [
            key[0].wrapping_add(0x9e37_79b9),
            key[1].wrapping_add(0xbb67_ae85),
        ];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that come with the paper's library.
    #[test]
    fn known_answers() {
        assert_eq!(
            philox([0; 4], [0; 2]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }

    #[test]
    fn a_stream_goes_on_from_any_place() {
        let mut whole = Philox::new(7);
        let numbers: Vec<f32> = (0..8).map(|_| whole.uniform()).collect();
        let mut part = Philox::at(7, 5);
        assert_eq!(part.uniform(), numbers[5]);
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
    }
}
