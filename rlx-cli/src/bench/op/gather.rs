//! Rows of a matrix by their numbers: token embedding.

use kernel_specs::index::gather_rows::gather_rows;
use rlx_backends::wgpu::DeviceError;
use rlx_core::Precision;
use rlx_kernels::FormatInfo;

use super::{Roads, weight_bytes};
use crate::bench::work::{Amount, Content, Shape, Work};
use crate::error::CliError;

/// The only way.
pub const NAME: &str = "gather_rows";

/// A vocabulary, for one token and for a prompt.
pub fn shapes() -> Vec<Shape> {
    let (n, k) = (128_256, 4096);
    [1, 512].map(|m| Shape::of(m, n, k)).to_vec()
}

/// The kernel, where it is wanted.
pub fn work(
    format: &'static FormatInfo,
    Shape { m, n, k, .. }: Shape,
    roads: &Roads,
) -> Result<Vec<Work>, CliError> {
    let kernel = gather_rows::instance(format.name);
    let Some(kernel) = kernel.filter(|_| roads.want(NAME, true)) else {
        return Ok(Vec::new());
    };
    let params = gather_rows::Params::new(m, k, n, 0);
    let dispatch = gather_rows::dispatch(kernel, [0, 1, 2], params).map_err(DeviceError::from)?;
    let (all, rows) = (u64::from(n) * u64::from(k), u64::from(m) * u64::from(k));
    let (read, results) = (weight_bytes(format, rows), rows * 4);
    Ok(vec![Work {
        road: NAME,
        buffers: vec![
            Content::Weights {
                bytes: weight_bytes(format, all),
            },
            Content::Ids {
                groups: m,
                each: 1,
                rows: n,
            },
            Content::Written { bytes: results },
        ],
        dispatches: vec![dispatch],
        amount: Amount {
            weights: read,
            moved: read + u64::from(m) * 4 + results,
            operations: None,
        },
        keeps: Precision::Exact,
        check: None,
    }])
}
