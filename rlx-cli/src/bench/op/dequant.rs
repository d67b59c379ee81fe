//! All weights of a matrix to f32.

use kernel_specs::quant::dequantise::dequantise;
use rlx_backends::wgpu::DeviceError;
use rlx_core::Precision;
use rlx_kernels::FormatInfo;

use super::{Roads, weight_bytes};
use crate::bench::work::{Amount, Content, Shape, Work};
use crate::error::CliError;

/// The only way.
pub const NAME: &str = "dequantise";

/// A matrix of a model with rows of 4,096.
pub fn shapes() -> Vec<Shape> {
    let (n, k) = (4096, 14336);
    vec![Shape::of(1, n, k)]
}

/// The kernel, where it is wanted.
pub fn work(
    format: &'static FormatInfo,
    Shape { n, k, .. }: Shape,
    roads: &Roads,
) -> Result<Vec<Work>, CliError> {
    let kernel = dequantise::instance(format.name);
    let Some(kernel) = kernel.filter(|_| roads.want(NAME, true)) else {
        return Ok(Vec::new());
    };
    let count = u64::from(n) * u64::from(k);
    // Shapes are checked: no matrix has more numbers than that.
    let params = dequantise::Params::new(count as u32);
    let dispatch = dequantise::dispatch(kernel, [0, 1], params).map_err(DeviceError::from)?;
    let (weights, results) = (weight_bytes(format, count), count * 4);
    Ok(vec![Work {
        road: NAME,
        buffers: vec![
            Content::Weights { bytes: weights },
            Content::Written { bytes: results },
        ],
        dispatches: vec![dispatch],
        amount: Amount {
            weights,
            moved: weights + results,
            operations: None,
        },
        keeps: Precision::Exact,
        check: None,
    }])
}
