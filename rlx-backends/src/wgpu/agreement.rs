//! A dispatch on devices, held to its CPU twin.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use rlx_kernels::simulate::{self, Bounds, Kind, Undecided};
use rlx_kernels::{Dispatch, Order, Report, SimError, SimOptions};

use super::buffer::Buffer;
use super::context::Context;
use super::error::DeviceError;

/// How far the results of devices lie from the twin's.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// The kernel.
    pub kernel: String,
    /// One for each device, in order.
    pub devices: Vec<DeviceAgreement>,
}

/// How far the results of one device lie from the twin's.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceAgreement {
    /// The adapter.
    pub adapter: String,
    /// Invocations of a subgroup of the twin that it was held to: as many as the adapter's have. None
    /// for a kernel to which they make no difference.
    pub subgroup_size: Option<u32>,
    /// Comparisons that the device may decide otherwise than the twin: that it agrees says that it
    /// did not, or that it makes no difference.
    pub undecided: Vec<Undecided>,
    /// One for each output.
    pub outputs: Vec<OutputAgreement>,
}

/// How far one output of one device lies from the twin's.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputAgreement {
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
        let kernel = &self.kernel;
        for device in &self.devices {
            let adapter = &device.adapter;
            let size = match device.subgroup_size {
                Some(size) => format!(", subgroups of {size}"),
                None => String::new(),
            };
            for output in &device.outputs {
                let OutputAgreement {
                    binding,
                    count,
                    index,
                    difference,
                    bound,
                } = output;
                writeln!(
                    f,
                    "{kernel} on {adapter}{size}: `{binding}`, {count} elements; the worst is `{binding}[{index}]`, off \
                     by {difference:e} of {bound:e}"
                )?;
            }
            for undecided in &device.undecided {
                writeln!(f, "{kernel} on {adapter}{size}, undecided: {undecided}")?;
            }
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
    #[error(transparent)]
    Differs(Box<Difference>),
}

/// A device's result that is farther from the twin's than WGSL allows.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "`{binding}[{index}]` of kernel `{kernel}` is {found} on {adapter} and {wanted} on the twin: off by \
     {difference:e}, where the kernel's operations allow {bound:e}{}",
    hint(undecided)
)]
pub struct Difference {
    /// The kernel.
    pub kernel: String,
    /// The adapter.
    pub adapter: String,
    /// The output.
    pub binding: String,
    /// The element: a component of a vector counts as one.
    pub index: usize,
    /// The device's.
    pub found: f64,
    /// The twin's.
    pub wanted: f64,
    /// Their distance.
    pub difference: f64,
    /// What is allowed.
    pub bound: f64,
    /// Comparisons that the device may have decided otherwise: the first place to look.
    pub undecided: Vec<Undecided>,
}

/// Where to look first, if the twin knows.
fn hint(undecided: &[Undecided]) -> String {
    let lines = undecided
        .iter()
        .map(|undecided| format!("\nnote: {undecided}: the device may have decided otherwise"));
    lines.collect()
}

/// What the twin says of a dispatch, with subgroups of one size.
struct Twin {
    report: Report,
    buffers: Vec<Vec<u8>>,
}

impl Twin {
    fn run(
        dispatch: &Dispatch<usize>,
        buffers: &[Vec<u8>],
        options: &SimOptions,
    ) -> Result<Self, AgreementError> {
        let mut buffers = buffers.to_vec();
        let report = simulate::dispatch(dispatch, &mut buffers, options)?;
        if report.is_clean() {
            Ok(Self { report, buffers })
        } else {
            Err(AgreementError::Found(Box::new(report)))
        }
    }
}

/// Runs `dispatch` on the twin as `options` say, and on each of `devices`, over `buffers`, which its
/// bindings name by their numbers; and compares each device with the twin of its own subgroup size.
/// Integers must be the same. A float may differ by what the operations that made it allow a device:
/// the bound is carried along with the computation on the twin, so it needs no tolerance of the
/// author's. A device that has several subgroup sizes agrees where it does with one of them.
///
/// # Errors
/// [`AgreementError`] for the first thing that is wrong.
pub fn agree(
    dispatch: &Dispatch<usize>,
    buffers: &[Vec<u8>],
    options: &SimOptions,
    devices: &[Context],
) -> Result<Agreement, AgreementError> {
    let options = options.clone().bounds();
    let mut twins: BTreeMap<Option<u32>, Twin> = BTreeMap::new();
    // The results and bounds of a run of several are those of its first size.
    let first = options.first_subgroup_size();
    let first = first.filter(|_| dispatch.kernel.features.subgroup);
    twins.insert(first, Twin::run(dispatch, buffers, &options)?);
    let mut agreement = Agreement {
        kernel: dispatch.kernel.label(),
        devices: Vec::new(),
    };
    for device in devices {
        let adapter = device.adapter().name.clone();
        let found = run(dispatch, buffers, device).map_err(|source| AgreementError::Device {
            adapter: adapter.clone(),
            source,
        })?;
        let mut differs = None;
        let mut agrees = None;
        for size in sizes(dispatch, device) {
            let twin = match twins.entry(size) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(open) => {
                    let mut options = options.clone().order(Order::Forward);
                    if let Some(size) = size {
                        options = options.subgroup_size(size);
                    }
                    open.insert(Twin::run(dispatch, buffers, &options)?)
                }
            };
            match hold(dispatch, &adapter, twin, &found) {
                Ok(outputs) => {
                    agrees = Some(DeviceAgreement {
                        adapter: adapter.clone(),
                        subgroup_size: size,
                        undecided: twin.report.undecided.clone(),
                        outputs,
                    });
                    break;
                }
                Err(error) => differs = differs.or(Some(error)),
            }
        }
        match (agrees, differs) {
            (Some(agrees), _) => agreement.devices.push(agrees),
            (None, Some(error)) => return Err(error),
            (None, None) => {}
        }
    }
    Ok(agreement)
}

/// The subgroup sizes that a device may run a dispatch with; one `None` where they make no difference.
fn sizes(dispatch: &Dispatch<usize>, device: &Context) -> Vec<Option<u32>> {
    let sizes = device.capabilities().subgroup_size;
    match sizes.filter(|_| dispatch.kernel.features.subgroup) {
        Some((least, most)) => {
            let all = (0..8).map(|log| 1 << log);
            let all = all.filter(|size| (least..=most).contains(size));
            all.map(Some).collect()
        }
        None => vec![None],
    }
}

/// The outputs of a device, held to the twin's.
fn hold(
    dispatch: &Dispatch<usize>,
    adapter: &str,
    twin: &Twin,
    found: &[Vec<u8>],
) -> Result<Vec<OutputAgreement>, AgreementError> {
    let mut outputs = Vec::new();
    for bounds in &twin.report.bounds {
        let mut bindings = dispatch.kernel.bindings.iter().zip(&dispatch.bindings);
        let buffer = bindings
            .find(|(binding, _)| *binding.name == bounds.binding)
            .map(|(_, buffer)| *buffer);
        let Some((wanted, found)) =
            buffer.and_then(|buffer| Some((twin.buffers.get(buffer)?, found.get(buffer)?)))
        else {
            continue;
        };
        outputs.push(compare(dispatch, adapter, (twin, bounds), wanted, found)?);
    }
    Ok(outputs)
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
    dispatch: &Dispatch<usize>,
    adapter: &str,
    (twin, bounds): (&Twin, &Bounds),
    wanted: &[u8],
    found: &[u8],
) -> Result<OutputAgreement, AgreementError> {
    let kind = bounds.kind;
    let pairs = numbers(kind, wanted).into_iter().zip(numbers(kind, found));
    let mut output = OutputAgreement {
        binding: bounds.binding.clone(),
        count: 0,
        index: 0,
        difference: 0.0,
        bound: 0.0,
    };
    let mut nearest = -1.0;
    for (index, ((wanted, found), bound)) in pairs.zip(&bounds.distances).enumerate() {
        let (bound, binding) = (*bound, bounds.binding.clone());
        let kernel = || dispatch.kernel.label();
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
            return Err(AgreementError::Differs(Box::new(Difference {
                kernel: kernel(),
                adapter: adapter.into(),
                binding,
                index,
                found,
                wanted,
                difference,
                bound,
                undecided: twin.report.undecided.clone(),
            })));
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
