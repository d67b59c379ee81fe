//! A dispatch on the twin.

mod error;
mod order;

use std::ops::Range;

use rayon::prelude::*;

use crate::finding::Source;
use crate::machine::{Known, Machine, Run, Sink};
use crate::memory::Buffer;
use crate::options::SimOptions;
use crate::program::{Decoded, MAX_LANES, Memory, Program, Space};
use crate::report::{Bounds, Report};
use crate::schedule::{Schedule, parts, schedules};
pub use error::RunError;
use order::differs;

/// The bytes behind a binding.
#[derive(Debug)]
pub enum Window<'b> {
    /// A `&[T]`.
    Read(&'b [u8]),
    /// A `&mut [T]`: what it holds is the memory before the run, and after it the result.
    Write(&'b mut [u8]),
    /// The memory of another binding, by its number.
    Same(usize),
}

impl Window<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Write(bytes) => bytes,
            Self::Same(_) => &[],
        }
    }
}

/// The bytes of each binding; those of another where it shares them.
fn bytes<'w>(windows: &'w [Window<'_>], index: usize) -> &'w [u8] {
    match windows.get(index) {
        Some(Window::Same(other)) => windows.get(*other).map_or(&[], Window::bytes),
        Some(window) => window.bytes(),
        None => &[],
    }
}

/// What to run.
#[derive(Debug)]
pub struct Launch<'b> {
    /// The kernel's name, for errors.
    pub kernel: &'b str,
    /// What the compiled kernel carries.
    pub twin: &'b [u8],
    /// The params.
    pub params: &'b [u8],
    /// The values of the kernel's const parameters, in order.
    pub overrides: &'b [i64],
    /// Invocations of a workgroup by dimension, where const parameters say another number than the
    /// kernel's own.
    pub workgroup_size: Option<[u32; 3]>,
    /// Workgroups by dimension.
    pub grid: [u32; 3],
}

/// Runs `launch` over `windows` once for each subgroup size and each order of `options`. Every run
/// begins with what the windows hold; they end with the results of the first.
///
/// # Errors
/// [`RunError`] where there is nothing that can be run. What is wrong with the kernel itself is in the
/// report.
pub fn run(
    launch: &Launch<'_>,
    windows: &mut [Window<'_>],
    options: &SimOptions,
) -> Result<Report, RunError> {
    let kernel = launch.kernel.to_string();
    let program = match Decoded::decode(launch.twin) {
        Ok(Decoded::Program(program)) => program,
        Ok(Decoded::Unsupported { what, file, place }) => {
            let (line, column) = (place.line, place.column);
            let at = Source { file, line, column }.to_string();
            return Err(RunError::Unsupported { kernel, what, at });
        }
        Err(error) => return Err(RunError::Decode { kernel, error }),
    };
    let mut program = program.sized(launch.overrides).map_err(|array| {
        let (kernel, array, len) = (launch.kernel.to_string(), array.name, array.len);
        let len = len.map_or_else(|| "no number".to_string(), |len| len.to_string());
        RunError::Array { kernel, array, len }
    })?;
    if let Some(size) = launch.workgroup_size {
        let invocations = size.iter().map(|size| u64::from(*size));
        if !(1..=MAX_LANES).contains(&invocations.fold(1, u64::saturating_mul)) {
            return Err(RunError::Workgroup { kernel, size });
        }
        program.workgroup_size = size;
    }
    check(launch, &program, windows, options)?;
    let mut report = Report::default();
    let mut sink = Sink::default();
    let mut results: Vec<Vec<u8>> = Vec::new();
    // Sizes of subgroups make no difference to a kernel without them.
    let sizes = if program.uses_subgroups() {
        &options.subgroup_sizes[..]
    } else {
        options.subgroup_sizes.get(..1).unwrap_or_default()
    };
    let in_turns = program.in_turns();
    for size in sizes {
        let mut first: Option<(Schedule, Vec<Vec<u8>>)> = None;
        for schedule in schedules(&options.orders, in_turns.is_some()) {
            let storage = storage(launch, &program, windows)?;
            let order = schedule.order;
            let split = in_turns.as_ref().filter(|_| schedule.in_turns);
            let run = Run {
                program: split.unwrap_or(&program),
                options,
                params: launch.params,
                overrides: launch.overrides,
                grid: launch.grid,
                storage: &storage,
                slots: slots(windows),
                subgroup_size: *size,
                order: order.of(program.lanes()),
                group_order: options.group_order.unwrap_or(order),
                parts: parts(&program, *size, order),
                windows: outputs(&program, options),
            };
            let known = once(&run, &mut sink, &mut report);
            let after: Vec<Vec<u8>> = storage
                .iter()
                .zip(windows.iter())
                .map(|(buffer, window)| {
                    let mut bytes = match window {
                        Window::Read(_) | Window::Same(_) => Vec::new(),
                        Window::Write(bytes) => vec![0; bytes.len()],
                    };
                    buffer.copy_to(&mut bytes);
                    bytes
                })
                .collect();
            match &first {
                None => first = Some((schedule, after)),
                Some(first) => {
                    differs(&run, first, (schedule, &after), &known, &mut sink);
                }
            }
        }
        if results.is_empty() {
            results = first.map(|(_, bytes)| bytes).unwrap_or_default();
        }
    }
    report.findings = sink.into_findings();
    for (window, bytes) in windows.iter_mut().zip(results) {
        if let Window::Write(window) = window {
            window.copy_from_slice(&bytes);
        }
    }
    Ok(report)
}

fn check(
    launch: &Launch<'_>,
    program: &Program,
    windows: &[Window<'_>],
    options: &SimOptions,
) -> Result<(), RunError> {
    let kernel = || launch.kernel.to_string();
    let expected = program.bindings().count();
    if windows.len() != expected {
        return Err(RunError::Bindings {
            kernel: kernel(),
            expected,
            found: windows.len(),
        });
    }
    for (index, (memory, window)) in program.bindings().zip(windows).enumerate() {
        let bytes = bytes(windows, index).len();
        let shared = match window {
            Window::Same(other) => windows.get(*other),
            own => Some(own),
        };
        let binding = || memory.name.clone();
        if !bytes.is_multiple_of(memory.stride as usize) && !memory.dims.is_empty() {
            return Err(RunError::Elements {
                kernel: kernel(),
                binding: binding(),
                stride: memory.stride,
                bytes,
            });
        }
        let writable = memory.space == Space::Storage { writable: true };
        if writable && !matches!(shared, Some(Window::Write(_))) {
            return Err(RunError::ReadOnly {
                kernel: kernel(),
                binding: binding(),
            });
        }
    }
    if launch.params.len() != program.params_size as usize {
        return Err(RunError::Params {
            kernel: kernel(),
            expected: program.params_size as usize,
            found: launch.params.len(),
        });
    }
    let groups = launch.grid.iter().map(|count| u64::from(*count));
    if groups.fold(1_u64, u64::saturating_mul) > u64::from(u32::MAX) {
        return Err(RunError::Grid {
            kernel: kernel(),
            grid: launch.grid,
        });
    }
    if let Some(size) = options
        .subgroup_sizes
        .iter()
        .find(|size| !(size.is_power_of_two() && **size <= 128))
    {
        return Err(RunError::SubgroupSize(*size));
    }
    if options.subgroup_sizes.is_empty() {
        return Err(RunError::Nothing("subgroup size"));
    }
    if options.orders.is_empty() {
        return Err(RunError::Nothing("order"));
    }
    let named = options.outputs.iter().map(|(name, _)| name);
    for name in named.chain(&options.undefined) {
        let is_this = |memory: &Memory| {
            memory.name == *name && memory.space == Space::Storage { writable: true }
        };
        if !program.bindings().any(is_this) {
            return Err(RunError::Binding {
                kernel: kernel(),
                binding: name.clone(),
            });
        }
    }
    Ok(())
}

fn storage(
    launch: &Launch<'_>,
    program: &Program,
    windows: &[Window<'_>],
) -> Result<Vec<Buffer>, RunError> {
    let buffers = program.bindings().zip(windows).map(|(memory, window)| {
        Buffer::of(window.bytes()).ok_or_else(|| RunError::TooLarge {
            kernel: launch.kernel.to_string(),
            binding: memory.name.clone(),
            bytes: window.bytes().len(),
        })
    });
    buffers.collect()
}

/// The binding that holds the memory of each.
fn slots(windows: &[Window<'_>]) -> Vec<usize> {
    let own = windows.iter().enumerate();
    own.map(|(index, window)| match window {
        Window::Same(other) => *other,
        _ => index,
    })
    .collect()
}

/// The bytes of each binding that may be written.
fn outputs(program: &Program, options: &SimOptions) -> Vec<Range<u64>> {
    let window = |memory: &Memory| {
        let stride = u64::from(memory.stride);
        let declared = options
            .outputs
            .iter()
            .find(|(name, _)| *name == memory.name);
        declared.map_or(0..u64::MAX, |(_, elements)| {
            elements.start.saturating_mul(stride)..elements.end.saturating_mul(stride)
        })
    };
    program.bindings().map(window).collect()
}

/// One run of all workgroups; gives what is known of each memory after it.
fn once(run: &Run<'_>, sink: &mut Sink, report: &mut Report) -> Known {
    let count: u32 = run.grid.iter().product();
    let order = run.group_order.of(count);
    report.runs += 1;
    if run.options.parallel {
        // Runs of workgroups large enough that making a machine does not count.
        let each = order
            .len()
            .div_ceil(rayon::current_num_threads() * 4)
            .max(1);
        let done: Vec<_> = order
            .par_chunks(each)
            .enumerate()
            .map(|(chunk, groups)| {
                let mut machine = Machine::new(run, false);
                for (index, group) in groups.iter().enumerate() {
                    let serial = (chunk * each + index) as u32 + 1;
                    machine.workgroup(run.group_at(*group), serial);
                }
                (machine.sink, machine.traces, machine.steps)
            })
            .collect();
        for (found, traces, steps) in done {
            sink.merge(found);
            report.traces.extend(traces);
            report.steps += steps;
        }
        return Known::default();
    }
    let mut machine = Machine::new(run, true);
    for (serial, group) in order.iter().enumerate() {
        machine.workgroup(run.group_at(*group), serial as u32 + 1);
    }
    report.traces.append(&mut machine.traces);
    report.steps += machine.steps;
    if report.bounds.is_empty() {
        report.undecided = machine.undecided();
        for (index, memory) in run.program.bindings().enumerate() {
            let writable = memory.space == Space::Storage { writable: true };
            if let Some(distances) = machine.bounds(index).filter(|_| writable) {
                report.bounds.push(Bounds {
                    binding: memory.name.clone(),
                    kind: memory.kind,
                    distances,
                });
            }
        }
    }
    sink.merge(std::mem::take(&mut machine.sink));
    machine.into_known()
}
