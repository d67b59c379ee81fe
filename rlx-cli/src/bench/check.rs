//! Whether a kernel that was timed has computed what it should have.

use rlx_backends::wgpu::{Buffer, BufferHandle, Context, DeviceError};
use rlx_conformance::product::F32_BOUND;
use rlx_core::Precision;

/// How far the results of a round are from the right ones, squared, of their square.
pub type Check = Box<dyn Fn(&Round<'_>) -> Result<f64, DeviceError>>;

/// The buffers of the last round.
pub struct Round<'a> {
    pub context: &'a Context,
    /// By number; none that the work does not have.
    pub buffers: Vec<BufferHandle>,
}

impl Round<'_> {
    /// `count` elements of buffer `number` from byte `offset`; fewer where there are not so many.
    pub fn read<T: bytemuck::Pod>(
        &self,
        number: usize,
        offset: u64,
        count: u64,
    ) -> Result<Vec<T>, DeviceError> {
        let Some(buffer) = self.buffers.get(number) else {
            return Ok(Vec::new());
        };
        // Copies begin at whole words.
        let (first, size) = (offset / 4 * 4, size_of::<T>() as u64);
        let window = buffer.window(first, offset - first + count * size)?;
        let bytes = Buffer::<u8>::new(window.clone(), window.size());
        let bytes = self.context.download(&bytes)?;
        let elements = bytes.get((offset - first) as usize..).unwrap_or_default();
        let elements = elements.chunks_exact(size_of::<T>().max(1));
        Ok(elements.map(bytemuck::pod_read_unaligned).collect())
    }
}

/// The largest error of a kernel that is right: of f32 that of products in f32, of activations that are
/// rounded a hundred times what rounding comes to.
pub fn bound(precision: Precision) -> f64 {
    match precision {
        Precision::Exact => F32_BOUND,
        Precision::Half => 1e-5,
        Precision::Int8 => 1e-3,
    }
}
