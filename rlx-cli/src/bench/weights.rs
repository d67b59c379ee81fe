//! Random weights on the device, cut into as many matrices as fit.

use rlx_backends::wgpu::{BufferHandle, Context, DeviceError};
use rlx_conformance::random;
use rlx_kernels::FormatInfo;

/// Bytes that are made on the host and uploaded at a time, unless a matrix is larger.
const PIECE: u64 = 256 << 20;

/// The seed of the first piece.
const SEED: u64 = 0xb10c;

/// Random blocks of a format, at least as many bytes as no cache holds.
pub struct Weights {
    pieces: Vec<BufferHandle>,
    /// Matrices begin at multiples of this: whole blocks, where the device can bind.
    stride: u64,
}

impl Weights {
    /// At least `total` bytes of `format`, and room for a matrix of `largest` bytes.
    pub fn new(
        context: &Context,
        format: &FormatInfo,
        total: u64,
        largest: u64,
    ) -> Result<Self, DeviceError> {
        let block = u64::from(format.bytes);
        let stride = least_common_multiple(block, context.capabilities().limits.storage_alignment);
        let piece = PIECE.min(total).max(largest).next_multiple_of(stride);
        let pieces = (0..total.div_ceil(piece).max(1)).map(|index| {
            let blocks = random::blocks(format, SEED + index, (piece / block) as usize);
            Ok(context.upload(&blocks)?.handle().clone())
        });
        Ok(Self {
            pieces: pieces.collect::<Result<_, DeviceError>>()?,
            stride,
        })
    }

    /// As many different matrices of `bytes` bytes as fit.
    pub fn matrices(&self, bytes: u64) -> Result<Vec<BufferHandle>, DeviceError> {
        let step = bytes.next_multiple_of(self.stride).max(self.stride);
        let mut matrices = Vec::new();
        for piece in &self.pieces {
            let begins = (0..piece.size() / step).map(|index| index * step);
            for begin in begins {
                matrices.push(piece.window(begin, bytes)?);
            }
        }
        Ok(matrices)
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a.max(1), b.max(1));
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a.max(1) / x * b.max(1)
}

#[cfg(test)]
mod tests {
    use super::least_common_multiple;

    #[test]
    fn the_least_common_multiple_is_a_multiple_of_both() {
        assert_eq!(least_common_multiple(144, 32), 288);
        assert_eq!(least_common_multiple(18, 256), 2304);
        assert_eq!(least_common_multiple(4, 32), 32);
    }
}
