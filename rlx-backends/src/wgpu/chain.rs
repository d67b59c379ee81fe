//! Dispatches that are made once and run again and again, and how long they take.

use std::fmt;
use std::time::{Duration, Instant};

use rlx_kernels::Dispatch;
use wgpu::{CommandEncoder, CommandEncoderDescriptor, ComputePassDescriptor, SubmissionIndex};

use super::binding::shared;
use super::buffer::BufferHandle;
use super::context::Context;
use super::error::DeviceError;
use super::launch::windows;
use super::step::{Run, Step, steps};
use super::timer::{MAX_PASSES, Timer};

/// Dispatches with their pipelines, params and bind groups, for measuring: made once, then run in passes
/// of any of them. Between two of a pass that touch a buffer which one of them writes, the second waits
/// for the first.
pub struct Chain {
    context: Context,
    steps: Vec<Step>,
}

impl Context {
    /// Makes `dispatches` ready to run; those with a 0 in their grid are left out.
    ///
    /// # Errors
    /// [`DeviceError`] as [`Context::run`].
    pub fn chain(&self, dispatches: &[Dispatch<BufferHandle>]) -> Result<Chain, DeviceError> {
        let mut runs = Vec::with_capacity(dispatches.len());
        for dispatch in dispatches {
            let bound = windows(self, dispatch)?;
            if !dispatch.grid.contains(&0) {
                let shared = shared(&dispatch.kernel, &bound);
                runs.push(Run::new(self, dispatch, bound, shared)?);
            }
        }
        Ok(Chain::new(self, steps(self, &runs)?))
    }
}

impl Chain {
    pub(super) fn new(context: &Context, steps: Vec<Step>) -> Self {
        Self {
            context: context.clone(),
            steps,
        }
    }

    /// The number of dispatches.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The labels of the kernels, a dispatch each.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.label.as_str())
    }

    /// Adds a pass of all dispatches to `encoder`.
    pub(super) fn encode(&self, encoder: &mut CommandEncoder) {
        self.pass(encoder, &ComputePassDescriptor::default(), 0..self.len());
    }

    /// Submits one pass of all dispatches, and waits for nothing.
    ///
    /// # Errors
    /// [`DeviceError`] where the device fails.
    pub fn submit(&self) -> Result<(), DeviceError> {
        let all = |encoder: &mut CommandEncoder| self.encode(encoder);
        self.context.submit_commands(all).map(drop)
    }

    /// Submits passes of all dispatches until `time` has passed. One is always under way while the next is
    /// encoded, and the last may still be when this returns: a device whose clock follows its load sees no
    /// pause between them and what is submitted next.
    ///
    /// # Errors
    /// [`DeviceError`] where the device fails.
    pub fn keep_busy(&self, time: Duration) -> Result<(), DeviceError> {
        let start = Instant::now();
        let mut under_way = None;
        while start.elapsed() < time {
            let submitted = self
                .context
                .submit_commands(|encoder| self.encode(encoder))?;
            if let Some(before) = under_way.replace(submitted) {
                self.context.wait_for(Some(before))?;
            }
        }
        Ok(())
    }

    /// Runs each of `passes`, the dispatches of these indices in this order, and gives the time that each took by the
    /// device's clock; `None` where the device has none. An index of no dispatch is passed over.
    ///
    /// # Errors
    /// [`DeviceError`] where the device fails.
    pub fn times(
        &self,
        passes: &[impl AsRef<[usize]>],
    ) -> Result<Option<Vec<Duration>>, DeviceError> {
        let mut times = Vec::with_capacity(passes.len());
        for passes in passes.chunks(MAX_PASSES) {
            let Some(timer) = Timer::new(&self.context, passes.len())? else {
                return Ok(None);
            };
            // A submit each: the device begins with the first while the second is encoded.
            for (index, pass) in passes.iter().enumerate() {
                self.context.submit_commands(|encoder| {
                    self.pass(encoder, &timer.pass(index), pass.as_ref().iter().copied());
                })?;
            }
            let submission = self
                .context
                .submit_commands(|encoder| timer.resolve(encoder))?;
            times.extend(timer.read(&self.context, submission)?);
        }
        Ok(Some(times))
    }

    /// As [`Chain::times`], by the host's clock, from before a pass is encoded until the host has heard
    /// of its end.
    ///
    /// # Errors
    /// [`DeviceError`] where the device fails.
    pub fn host_times(&self, passes: &[impl AsRef<[usize]>]) -> Result<Vec<Duration>, DeviceError> {
        self.context.wait()?;
        let mut times = Vec::with_capacity(passes.len());
        for pass in passes {
            let start = Instant::now();
            let submission = self.context.submit_commands(|encoder| {
                let plain = ComputePassDescriptor::default();
                self.pass(encoder, &plain, pass.as_ref().iter().copied());
            })?;
            self.context.wait_for(Some(submission))?;
            times.push(start.elapsed());
        }
        Ok(times)
    }

    fn pass(
        &self,
        encoder: &mut CommandEncoder,
        descriptor: &ComputePassDescriptor<'_>,
        steps: impl Iterator<Item = usize>,
    ) {
        let mut pass = encoder.begin_compute_pass(descriptor);
        for step in steps.filter_map(|index| self.steps.get(index)) {
            step.encode(&mut pass);
        }
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.labels()).finish()
    }
}

impl Context {
    /// One encoder with what `record` puts into it, one submit.
    pub(super) fn submit_commands(
        &self,
        record: impl FnOnce(&mut CommandEncoder),
    ) -> Result<SubmissionIndex, DeviceError> {
        self.guard("running the program", || {
            let mut encoder = self
                .device()
                .create_command_encoder(&CommandEncoderDescriptor::default());
            record(&mut encoder);
            self.queue().submit([encoder.finish()])
        })
    }
}
