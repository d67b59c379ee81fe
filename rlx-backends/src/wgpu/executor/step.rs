//! The dispatches of a program, each with its pipeline and its bind group.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use rayon::prelude::*;
use rlx_core::{Plan, Program, ValueId};
use rlx_kernels::Dispatch;
use rlx_kernels::kernel::BindingSet;
use wgpu::{BufferUsages, ComputePass};

use super::memory::Memory;
use super::mismatch::MismatchError;
use crate::error::BackendError;
use crate::wgpu::DeviceError;
use crate::wgpu::binding::Bound;
use crate::wgpu::checks::Checks;
use crate::wgpu::context::Context;
use crate::wgpu::launch::check_dispatch;
use crate::wgpu::pipeline::Pipeline;
use crate::wgpu::upload::Upload;

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

/// A dispatch with its windows.
struct Run<'a> {
    dispatch: &'a Dispatch<ValueId>,
    shared: BindingSet,
    bound: Vec<Bound<'a>>,
    checks: Checks,
}

impl Run<'_> {
    fn key(&self) -> impl Eq + Hash {
        let dispatch = self.dispatch;
        (
            dispatch.kernel.hash,
            &dispatch.overrides,
            self.shared,
            self.checks,
        )
    }

    fn pipeline(&self, context: &Context) -> Result<Arc<Pipeline>, DeviceError> {
        let dispatch = self.dispatch;
        context.pipeline(
            &dispatch.kernel,
            &dispatch.overrides,
            self.shared,
            self.checks,
        )
    }
}

/// The steps of `program`; dispatches with nothing to do are left out.
pub(super) fn steps(
    context: &Context,
    program: &Program,
    plan: &Plan,
    memory: &Memory<'_>,
) -> Result<Vec<Step>, BackendError> {
    let (planned, dispatches) = (plan.shared.len(), program.dispatches.len());
    if planned != dispatches {
        return Err(MismatchError::Dispatches {
            planned,
            dispatches,
        }
        .into());
    }
    let mut runs = Vec::new();
    for (dispatch, &shared) in program.dispatches.iter().zip(&plan.shared) {
        if dispatch.grid.contains(&0) {
            continue;
        }
        check_dispatch(dispatch).map_err(DeviceError::from)?;
        let kernel = &dispatch.kernel;
        context.check_grid(kernel, dispatch.grid)?;
        let bound: Vec<_> = dispatch
            .bindings
            .iter()
            .map(|&value| memory.window(value))
            .collect::<Result<_, _>>()?;
        context.check_bindings(kernel, &bound)?;
        let (overrides, params) = (&dispatch.overrides, &dispatch.params);
        let checks = Checks::of(kernel, overrides, params, &bound, dispatch.grid)
            .map_err(DeviceError::from)?;
        runs.push(Run {
            dispatch,
            shared,
            bound,
            checks,
        });
    }
    // Drivers take most of the time of a compile; each kernel once, several at a time.
    let mut seen = HashSet::new();
    let distinct: Vec<_> = runs.iter().filter(|run| seen.insert(run.key())).collect();
    distinct
        .par_iter()
        .try_for_each(|run| run.pipeline(context).map(drop))?;
    let in_buffer = runs
        .iter()
        .filter(|run| !context.has_immediates_for(&run.dispatch.kernel))
        .map(|run| run.dispatch.params.as_slice());
    let params = Params::new(context, in_buffer)?;
    let steps = runs.iter().map(|run| {
        let (dispatch, kernel) = (run.dispatch, &run.dispatch.kernel);
        let pipeline = run.pipeline(context)?;
        let (slot, immediates) = if pipeline.immediates {
            (None, Some(dispatch.params.clone()))
        } else {
            (params.slot(&dispatch.params), None)
        };
        let bind_group = context.bind_group(kernel, &pipeline, &run.bound, slot)?;
        Ok(Step {
            label: kernel.label(),
            pipeline,
            bind_group,
            grid: dispatch.grid,
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
