//! Products y[m, n] = x[m, k] · Wᵀ, by the roads that graphs take.

use rlx_backends::wgpu::DeviceError;
use rlx_core::LowerOptions;
use rlx_core::lower::road::{self, Operand, Road};
use rlx_kernels::{FormatInfo, KernelInfo};

use super::{Roads, weight_bytes};
use crate::bench::check::Round;
use crate::bench::work::{Amount, Content, Shape, Work};
use crate::error::CliError;

/// The most rows of activations that are few.
pub const FEW: u32 = 8;

/// Rows of the weight whose results are checked.
const SAMPLED_N: u32 = 16;

/// Rows of activations whose results are checked.
const SAMPLED_M: u32 = 4;

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
    let Shape { m, n, k } = shape;
    let dispatches = road
        .dispatches(kernel, &shape.product())
        .map_err(DeviceError::from)?;
    let number = |operand| match operand {
        Operand::Weight => 0,
        Operand::Activations | Operand::Ids => 1,
        Operand::Result => 2,
        Operand::Temporary(index) => 3 + index,
    };
    let [m, n, k] = [m, n, k].map(u64::from);
    let weights = weight_bytes(format, n * k);
    let mut buffers = vec![
        Content::Weights { bytes: weights },
        Content::Activations { count: m * k },
        Content::Written { bytes: m * n * 4 },
    ];
    let temporaries = road.temporaries(&shape.product()).into_iter();
    buffers.extend(temporaries.map(|bytes| Content::Written { bytes }));
    Ok(Work {
        road: road.name,
        buffers,
        dispatches: dispatches
            .into_iter()
            .map(|dispatch| dispatch.map(number))
            .collect(),
        amount: Amount {
            weights,
            moved: weights + m * k * 4 + m * n * 4,
            operations: Some(2.0 * m as f64 * n as f64 * k as f64),
        },
        keeps: road.keeps,
        check: Some(Box::new(move |round| error(round, format, shape))),
    })
}

/// How far some results are from their sums in f64: squared, over the squares of all that was added, which is
/// what the square of a sum of random numbers comes to.
fn error(
    round: &Round<'_>,
    format: &FormatInfo,
    Shape { m, n, k }: Shape,
) -> Result<f64, DeviceError> {
    let row_bytes = weight_bytes(format, u64::from(k));
    let (mut error, mut norm) = (0.0, 0.0);
    let mut weights = vec![0.0_f32; k as usize];
    let activations: Vec<(u32, Vec<f32>)> = sample(m, SAMPLED_M)
        .map(|i| {
            Ok((
                i,
                round.read(1, u64::from(i) * u64::from(k) * 4, u64::from(k))?,
            ))
        })
        .collect::<Result<_, DeviceError>>()?;
    for j in sample(n, SAMPLED_N) {
        let bytes = round.read::<u8>(0, u64::from(j) * row_bytes, row_bytes)?;
        (format.decode)(&bytes, &mut weights);
        for (i, x) in &activations {
            let at = u64::from(*i) * u64::from(n) + u64::from(j);
            let found = round.read::<f32>(2, at * 4, 1)?;
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
