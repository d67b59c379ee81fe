//! A dispatch on devices, held to its CPU twin.

use std::fmt;

use rlx_kernels::simulate::{self, Bounds, Kind};
use rlx_kernels::{Dispatch, Report, SimError, SimOptions};

use super::buffer::Buffer;
use super::context::Context;
use super::error::DeviceError;

/// How far the results of devices lie from the twin's.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// The kernel.
    pub kernel: String,
    /// Comparisons of floats as near as their errors, which a device may decide otherwise: where
    /// results differ, look there first.
    pub undecided: u64,
    /// One for each device and output.
    pub outputs: Vec<OutputAgreement>,
}

/// How far one output of one device lies from the twin's.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputAgreement {
    /// The adapter.
    pub adapter: String,
    /// The output.
    pub binding: String,
    /// Elements that were compared.
    pub count: usize,
    /// The element nearest to its bound.
    pub index: usize,
    /// How far it is from the twin's.
    pub difference: f64,
    /// How far it may be: what the kernel's own operations allow, by WGSL's accuracies.
    pub bound: f64,
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for output in &self.outputs {
            let OutputAgreement {
                adapter,
                binding,
                count,
                index,
                difference,
                bound,
            } = output;
            let kernel = &self.kernel;
            writeln!(
                f,
                "{kernel} on {adapter}: `{binding}`, {count} elements; the worst is `{binding}[{index}]`, off by \
                 {difference:e} of {bound:e}"
            )?;
        }
        Ok(())
    }
}

/// Why devices do not agree with the twin.
#[derive(Debug, thiserror::Error)]
pub enum AgreementError {
    /// The twin cannot run the dispatch.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A device cannot.
    #[error("{adapter}: {source}")]
    Device {
        /// The adapter.
        adapter: String,
        /// What is wrong.
        source: DeviceError,
    },
    /// The twin found something.
    #[error("{0}")]
    Found(Box<Report>),
    /// An element has no bound: an integer was made from a float that may be on either side.
    #[error(
        "`{binding}[{index}]` of kernel `{kernel}` has no bound: a float on the edge of two integers went into it"
    )]
    Unbounded {
        /// The kernel.
        kernel: String,
        /// The output.
        binding: String,
        /// The element.
        index: usize,
    },
    /// A device's result is farther from the twin's than WGSL allows.
    #[error(
        "`{binding}[{index}]` of kernel `{kernel}` is {found} on {adapter} and {wanted} on the twin: off by \
         {difference:e}, where the kernel's operations allow {bound:e}"
    )]
    Differs {
        /// The kernel.
        kernel: String,
        /// The adapter.
        adapter: String,
        /// The output.
        binding: String,
        /// The element: a component of a vector counts as one.
        index: usize,
        /// The device's.
        found: f64,
        /// The twin's.
        wanted: f64,
        /// Their distance.
        difference: f64,
        /// What is allowed.
        bound: f64,
    },
}

/// Runs `dispatch` on the twin as `options` say, and on each of `devices`, over `buffers`, which its
/// bindings name by their numbers; and compares. Integers must be the same. A float may differ by
/// what the operations that made it allow a device: the bound is carried along with the computation
/// on the twin, so it needs no tolerance of the author's.
///
/// # Errors
/// [`AgreementError`] for the first thing that is wrong.
pub fn agree(
    dispatch: &Dispatch<usize>,
    buffers: &[Vec<u8>],
    options: &SimOptions,
    devices: &[Context],
) -> Result<Agreement, AgreementError> {
    let kernel = dispatch.kernel.label();
    let mut wanted = buffers.to_vec();
    let report = simulate::dispatch(dispatch, &mut wanted, &options.clone().bounds())?;
    if !report.is_clean() {
        return Err(AgreementError::Found(Box::new(report)));
    }
    let mut agreement = Agreement {
        kernel,
        undecided: report.bounds.first().map_or(0, |bounds| bounds.undecided),
        outputs: Vec::new(),
    };
    for device in devices {
        let adapter = device.adapter().name.clone();
        let found = run(dispatch, buffers, device).map_err(|source| AgreementError::Device {
            adapter: adapter.clone(),
            source,
        })?;
        for bounds in &report.bounds {
            let bindings = dispatch.kernel.bindings.iter().zip(&dispatch.bindings);
            let named = bindings.map(|(binding, buffer)| (&binding.name, *buffer));
            let buffer = named
                .filter(|(name, _)| **name == bounds.binding)
                .map(|(_, buffer)| buffer)
                .next();
            let Some((wanted, found)) =
                buffer.and_then(|buffer| Some((wanted.get(buffer)?, found.get(buffer)?)))
            else {
                continue;
            };
            let output = compare(&agreement.kernel, &adapter, bounds, wanted, found)?;
            agreement.outputs.push(output);
        }
    }
    Ok(agreement)
}

/// The buffers after the dispatch has run on a device.
fn run(
    dispatch: &Dispatch<usize>,
    buffers: &[Vec<u8>],
    device: &Context,
) -> Result<Vec<Vec<u8>>, DeviceError> {
    let mut uploaded: Vec<Buffer<u32>> = Vec::new();
    for bytes in buffers {
        uploaded.push(device.upload(&words(bytes))?);
    }
    let bound = dispatch.clone().map(|buffer| {
        let buffer = uploaded.get(buffer);
        buffer.map(|buffer| buffer.handle().clone())
    });
    let mut handles = Vec::new();
    for handle in bound.bindings {
        // The twin has run with the same numbers.
        handles.extend(handle);
    }
    device.run(&Dispatch {
        kernel: bound.kernel,
        bindings: handles,
        params: bound.params,
        overrides: bound.overrides,
        grid: bound.grid,
    })?;
    let mut results = Vec::new();
    for buffer in &uploaded {
        let words = device.download(buffer)?;
        results.push(words.into_iter().flat_map(u32::to_le_bytes).collect());
    }
    Ok(results)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let chunks = bytes.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        u32::from_le_bytes(word)
    });
    chunks.collect()
}

/// The elements of an output, as numbers.
fn numbers(kind: Kind, bytes: &[u8]) -> Vec<f64> {
    let words = words(bytes);
    match kind {
        Kind::F16 => words
            .iter()
            .flat_map(|word| [*word as u16, (word >> 16) as u16])
            .map(|half| half::f16::from_bits(half).to_f64())
            .collect(),
        Kind::F32 => words
            .iter()
            .map(|word| f64::from(f32::from_bits(*word)))
            .collect(),
        // Each word of an integer of 64 bits is held to the twin's.
        _ => words.iter().map(|word| f64::from(*word)).collect(),
    }
}

fn compare(
    kernel: &str,
    adapter: &str,
    bounds: &Bounds,
    wanted: &[u8],
    found: &[u8],
) -> Result<OutputAgreement, AgreementError> {
    let kind = bounds.kind;
    let pairs = numbers(kind, wanted).into_iter().zip(numbers(kind, found));
    let mut output = OutputAgreement {
        adapter: adapter.into(),
        binding: bounds.binding.clone(),
        count: 0,
        index: 0,
        difference: 0.0,
        bound: 0.0,
    };
    let mut nearest = -1.0;
    for (index, ((wanted, found), bound)) in pairs.zip(&bounds.distances).enumerate() {
        let (bound, binding) = (*bound, bounds.binding.clone());
        let kernel = || kernel.to_string();
        if !bound.is_finite() {
            return Err(AgreementError::Unbounded {
                kernel: kernel(),
                binding,
                index,
            });
        }
        let both_nan = wanted.is_nan() && found.is_nan();
        let difference = if wanted == found || both_nan {
            0.0
        } else {
            (wanted - found).abs()
        };
        // A NaN is no pass either.
        let is_near = difference <= bound;
        if !is_near {
            return Err(AgreementError::Differs {
                kernel: kernel(),
                adapter: adapter.into(),
                binding,
                index,
                found,
                wanted,
                difference,
                bound,
            });
        }
        output.count += 1;
        let share = if bound > 0.0 { difference / bound } else { 0.0 };
        if share > nearest {
            nearest = share;
            (output.index, output.difference, output.bound) = (index, difference, bound);
        }
    }
    Ok(output)
}
