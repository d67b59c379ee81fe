//! Products y[m, n] = x[m, k] · Wᵀ, by the roads that graphs take.

use rlx_backends::Capabilities;
use rlx_backends::wgpu::DeviceError;
use rlx_core::lower::road::{self, Road};
use rlx_kernels::{FormatInfo, KernelInfo};

use super::{Roads, weight_bytes};
use crate::bench::work::{Amount, Content, Shape, Work};
use crate::error::CliError;

/// The most rows of activations that are few.
pub const FEW: u32 = 8;

/// Decoding tokens: the layers of a model with rows of 4,096.
pub fn gemv_shapes() -> Vec<Shape> {
    let (n, k) = (4096, 14336);
    let down = [1, 2, 3, 4, 5, 8].map(|m| Shape { m, n, k });
    let others = [4096, 6144, 14336].map(|n| Shape { m: 1, n, k: 4096 });
    down.into_iter().chain(others).collect()
}

/// Reading prompts.
pub fn gemm_shapes() -> Vec<Shape> {
    let all = [(4096, 14336), (4096, 4096), (6144, 4096), (14336, 4096)];
    all.map(|(n, k)| Shape { m: 512, n, k }).to_vec()
}

/// The names of all roads.
pub fn roads() -> impl Iterator<Item = &'static str> {
    road::names()
}

/// The wanted roads of the product.
pub fn works(
    format: &'static FormatInfo,
    shape: Shape,
    device: &Capabilities,
    roads: &Roads,
) -> Result<Vec<Work>, CliError> {
    let fitting = road::fitting(format, u64::from(shape.m), device.features);
    let fitting = fitting.filter_map(|road| Some((road, road.kernel?)));
    let wanted = fitting
        .enumerate()
        .filter(|(index, (road, _))| roads.want(road.name, *index == 0));
    wanted
        .map(|(_, (road, kernel))| work(format, shape, road, kernel))
        .collect()
}

fn work(
    format: &FormatInfo,
    Shape { m, n, k }: Shape,
    road: Road,
    kernel: &'static KernelInfo,
) -> Result<Work, CliError> {
    let dispatch = road.dispatch(kernel, [0, 1, 2], [m, n, k]);
    let [m, n, k] = [m, n, k].map(u64::from);
    let weights = weight_bytes(format, n * k);
    let results = m * n * 4;
    Ok(Work {
        road: road.name,
        buffers: vec![
            Content::Weights { bytes: weights },
            Content::Activations { count: m * k },
            Content::Results { bytes: results },
        ],
        dispatches: vec![dispatch.map_err(DeviceError::from)?],
        amount: Amount {
            weights,
            moved: weights + m * k * 4 + results,
            operations: Some(2.0 * m as f64 * n as f64 * k as f64),
        },
    })
}
