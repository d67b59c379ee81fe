//! Products y[m, n] = x[m, k] · Wᵀ, by the roads that graphs take.

use rlx_backends::wgpu::DeviceError;
use rlx_core::LowerOptions;
use rlx_core::lower::road::{self, Operand, Road};
use rlx_kernels::{FormatInfo, KernelInfo};

use super::{Roads, weight_bytes};
use crate::bench::check::Round;
use crate::bench::work::{Amount, Choice, Content, Shape, Work};
use crate::error::CliError;

/// The most rows of activations that are few.
pub const FEW: u32 = 8;

/// Rows of the weight whose results are checked.
const SAMPLED_N: u32 = 16;

/// Rows of activations whose results are checked.
const SAMPLED_M: u32 = 4;

/// The number of the results' buffer.
const RESULT: usize = 2;

/// Decoding tokens: the layers of a model with rows of 4,096.
pub fn gemv_shapes() -> Vec<Shape> {
    let (n, k) = (4096, 14336);
    let down = [1, 2, 3, 4, 5, 8].map(|m| Shape::of(m, n, k));
    let others = [4096, 6144, 14336].map(|n| Shape::of(1, n, 4096));
    down.into_iter().chain(others).collect()
}

/// Reading prompts.
pub fn gemm_shapes() -> Vec<Shape> {
    let all = [(4096, 14336), (4096, 4096), (6144, 4096), (14336, 4096)];
    all.map(|(n, k)| Shape::of(512, n, k)).to_vec()
}

/// Models of many small experts and of few large ones.
pub fn moe_shapes() -> Vec<Shape> {
    let all = [(128, 8, 768, 2048), (32, 4, 2880, 2880)];
    let shapes = all.into_iter().flat_map(|(experts, used, n, k)| {
        [1, 8, 32, 512].map(|m| Shape {
            experts: Some(Choice { experts, used }),
            ..Shape::of(m, n, k)
        })
    });
    shapes.collect()
}

/// The names of all roads.
pub fn roads() -> impl Iterator<Item = &'static str> {
    road::names()
}

/// The wanted roads of the product.
pub fn works(
    format: &'static FormatInfo,
    shape: Shape,
    options: &LowerOptions,
    roads: &Roads,
) -> Result<Vec<Work>, CliError> {
    let fitting = road::all(format, &shape.product(), options).into_iter();
    let fitting = fitting.filter_map(|road| Some((road, road.kernel?)));
    let wanted = fitting
        .enumerate()
        .filter(|(index, (road, _))| roads.want(road.name, *index == 0));
    wanted
        .map(|(_, (road, kernel))| work(format, shape, &road, kernel))
        .collect()
}

fn work(
    format: &'static FormatInfo,
    shape: Shape,
    road: &Road,
    kernel: &'static KernelInfo,
) -> Result<Work, CliError> {
    let product = shape.product();
    let dispatches = road
        .dispatches(kernel, &product)
        .map_err(DeviceError::from)?;
    let temporaries = road.temporaries(&product);
    let number = |operand| match operand {
        Operand::Weight => 0,
        Operand::Activations => 1,
        Operand::Result => RESULT,
        Operand::Temporary(index) => RESULT + 1 + index,
        Operand::Ids => RESULT + 1 + temporaries.len(),
    };
    let dispatches = dispatches.into_iter();
    let dispatches = dispatches.map(|dispatch| dispatch.map(number)).collect();
    let [m, n, k, rows] = [shape.m, shape.n, shape.k, product.rows()].map(u64::from);
    let matrix = weight_bytes(format, n * k);
    let (all, read) = match shape.experts {
        None => (matrix, matrix),
        Some(choice) => {
            let all = matrix * u64::from(choice.experts);
            (all, (matrix as f64 * choice.distinct(shape.m)) as u64)
        }
    };
    let mut buffers = vec![
        Content::Weights { bytes: all },
        Content::Activations { count: m * k },
        Content::Written {
            bytes: rows * n * 4,
        },
    ];
    buffers.extend(temporaries.iter().map(|&bytes| Content::Written { bytes }));
    buffers.extend(shape.experts.map(|choice| Content::Ids {
        groups: shape.m,
        each: choice.used,
        rows: choice.experts,
    }));
    let ids = buffers.len() - 1;
    Ok(Work {
        road: road.name,
        buffers,
        dispatches,
        amount: Amount {
            weights: read,
            moved: read + m * k * 4 + rows * n * 4,
            operations: Some(2.0 * rows as f64 * n as f64 * k as f64),
        },
        keeps: road.keeps,
        check: Some(Box::new(move |round| error(round, format, shape, ids))),
    })
}

/// How far some results are from their sums in f64: squared, over the squares of all that was added, which is
/// what the square of a sum of random numbers comes to. `ids` is the buffer of experts, where there are any.
fn error(
    round: &Round<'_>,
    format: &FormatInfo,
    shape: Shape,
    ids: usize,
) -> Result<f64, DeviceError> {
    let Shape { m, n, k, .. } = shape;
    let rows = shape.product().rows();
    let row_bytes = weight_bytes(format, u64::from(k));
    let (mut error, mut norm) = (0.0, 0.0);
    let mut weights = vec![0.0_f32; k as usize];
    for i in sample(rows, SAMPLED_M) {
        let row = u64::from(i / (rows / m));
        let x: Vec<f32> = round.read(1, row * u64::from(k) * 4, u64::from(k))?;
        let first = match shape.experts {
            Some(_) => {
                let id = round.read::<u32>(ids, u64::from(i) * 4, 1)?;
                u64::from(id.first().copied().unwrap_or(u32::MAX)) * u64::from(n)
            }
            None => 0,
        };
        for j in sample(n, SAMPLED_N) {
            let bytes = round.read::<u8>(0, (first + u64::from(j)) * row_bytes, row_bytes)?;
            (format.decode)(&bytes, &mut weights);
            let at = u64::from(i) * u64::from(n) + u64::from(j);
            let found = round.read::<f32>(RESULT, at * 4, 1)?;
            let mut wanted = 0.0;
            for (x, w) in x.iter().zip(&weights) {
                let product = f64::from(*x) * f64::from(*w);
                wanted += product;
                norm += product * product;
            }
            let found = found.first().map_or(f64::NAN, |found| f64::from(*found));
            error += (found - wanted) * (found - wanted);
        }
    }
    Ok(error / norm)
}

/// At most `count` numbers below `end`, the first and the last among them.
fn sample(end: u32, count: u32) -> impl Iterator<Item = u32> {
    let last = end.saturating_sub(1);
    let count = count.min(end);
    let steps = u64::from(count.saturating_sub(1).max(1));
    (0..count).map(move |index| (u64::from(last) * u64::from(index) / steps) as u32)
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn a_sample_has_both_ends_and_no_number_twice() {
        let sample = |end, count| sample(end, count).collect::<Vec<_>>();
        assert_eq!(sample(1, 8), [0]);
        assert_eq!(sample(3, 8), [0, 1, 2]);
        assert_eq!(sample(1000, 4), [0, 333, 666, 999]);
    }
}
