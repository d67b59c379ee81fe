//! Dispatches, each with its pipeline and its bind group.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use rayon::prelude::*;
use rlx_kernels::kernel::BindingSet;
use rlx_kernels::{Dispatch, KernelInfo};
use wgpu::{BufferUsages, ComputePass};

use super::DeviceError;
use super::binding::Bound;
use super::checks::Checks;
use super::context::Context;
use super::pipeline::Pipeline;
use super::upload::Upload;

/// One dispatch, ready to be encoded.
pub(super) struct Step {
    pub label: String,
    pipeline: Arc<Pipeline>,
    bind_group: wgpu::BindGroup,
    grid: [u32; 3],
    /// Params that go with the commands.
    immediates: Option<Vec<u8>>,
}

impl Step {
    /// Adds the step to `pass`.
    pub fn encode(&self, pass: &mut ComputePass<'_>) {
        let [x, y, z] = self.grid;
        pass.set_pipeline(&self.pipeline.compute);
        pass.set_bind_group(0, &self.bind_group, &[]);
        if let Some(params) = &self.immediates {
            pass.set_immediates(0, params);
        }
        pass.dispatch_workgroups(x, y, z);
    }
}

/// A dispatch with its windows, that the device can run.
pub(super) struct Run<'a> {
    kernel: &'a KernelInfo,
    overrides: &'a [i64],
    params: &'a [u8],
    grid: [u32; 3],
    shared: BindingSet,
    bound: Vec<Bound<'a>>,
    checks: Checks,
}

impl<'a> Run<'a> {
    /// Checks `dispatch`, one that fits its kernel, in these windows; its read-only bindings in `shared`
    /// are declared `read_write`.
    pub fn new<H>(
        context: &Context,
        dispatch: &'a Dispatch<H>,
        bound: Vec<Bound<'a>>,
        shared: BindingSet,
    ) -> Result<Self, DeviceError> {
        let Dispatch {
            kernel,
            overrides,
            params,
            grid,
            ..
        } = dispatch;
        context.check_grid(kernel, *grid)?;
        context.check_bindings(kernel, &bound)?;
        Ok(Self {
            checks: Checks::of(kernel, overrides, params, &bound, *grid)?,
            kernel,
            overrides,
            params,
            grid: *grid,
            shared,
            bound,
        })
    }

    fn key(&self) -> impl Eq + Hash {
        (self.kernel.hash, self.overrides, self.shared, self.checks)
    }

    fn pipeline(&self, context: &Context) -> Result<Arc<Pipeline>, DeviceError> {
        context.pipeline(self.kernel, self.overrides, self.shared, self.checks)
    }
}

/// The steps of `runs`, in order.
pub(super) fn steps(context: &Context, runs: &[Run<'_>]) -> Result<Vec<Step>, DeviceError> {
    // Drivers take most of the time of a compile; each kernel once, several at a time.
    let mut seen = HashSet::new();
    let distinct: Vec<_> = runs.iter().filter(|run| seen.insert(run.key())).collect();
    distinct
        .par_iter()
        .try_for_each(|run| run.pipeline(context).map(drop))?;
    let in_buffer = runs
        .iter()
        .filter(|run| !context.has_immediates_for(run.kernel))
        .map(|run| run.params);
    let params = Params::new(context, in_buffer)?;
    let steps = runs.iter().map(|run| {
        let pipeline = run.pipeline(context)?;
        let (slot, immediates) = if pipeline.immediates {
            (None, Some(run.params.to_vec()))
        } else {
            (params.slot(run.params), None)
        };
        let bind_group = context.bind_group(run.kernel, &pipeline, &run.bound, slot)?;
        Ok(Step {
            label: run.kernel.label(),
            pipeline,
            bind_group,
            grid: run.grid,
            immediates,
        })
    });
    steps.collect()
}

/// The params of all dispatches in one uniform buffer; equal params share a slot.
struct Params<'a> {
    buffer: Option<wgpu::Buffer>,
    offsets: HashMap<&'a [u8], u64>,
}

impl<'a> Params<'a> {
    fn new(context: &Context, all: impl Iterator<Item = &'a [u8]>) -> Result<Self, DeviceError> {
        let alignment = context.limits().min_uniform_buffer_offset_alignment as usize;
        let mut bytes: Vec<u8> = Vec::new();
        let mut offsets = HashMap::new();
        for params in all.filter(|params| !params.is_empty()) {
            offsets.entry(params).or_insert_with(|| {
                bytes.resize(bytes.len().next_multiple_of(alignment), 0);
                let offset = bytes.len() as u64;
                bytes.extend_from_slice(params);
                offset
            });
        }
        if bytes.is_empty() {
            return Ok(Self {
                buffer: None,
                offsets,
            });
        }
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let buffer = context.buffer("the params of all dispatches", bytes.len() as u64, usage)?;
        let mut upload = Upload::new(context, bytes.len() as u64)?;
        upload.write(&buffer, 0, &bytes)?;
        upload.finish()?;
        Ok(Self {
            buffer: Some(buffer),
            offsets,
        })
    }

    fn slot(&self, params: &[u8]) -> Option<Bound<'_>> {
        let buffer = self.buffer.as_ref()?;
        let &offset = self.offsets.get(params)?;
        Some(Bound {
            buffer,
            offset,
            size: params.len() as u64,
        })
    }
}
