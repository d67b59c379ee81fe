//! A lowered graph on a device: everything made once, then run as often as wanted.

mod inputs;
mod memory;
mod mismatch;
mod output;
mod step;

use std::fmt;
use std::time::Duration;

use rlx_core::{Graph, Plan, Program, Weights};

use self::inputs::Inputs;
use self::memory::Memory;
pub(super) use self::memory::Shared;
pub use self::mismatch::MismatchError;
use self::output::Output;
use super::chain::Chain;
use super::context::Context;
use super::error::DeviceError;
use crate::backend::{CompileReport, Executable};
use crate::error::BackendError;
use crate::tensor::Tensor;

/// A program on a device: its buffers, weights, pipelines and bind groups.
///
/// A run writes the inputs, submits one compute pass and reads the outputs back.
pub struct Executor {
    context: Context,
    inputs: Inputs,
    outputs: Vec<Output>,
    chain: Chain,
    report: CompileReport,
}

impl Executor {
    /// Makes `program`, which `graph` was lowered to, ready to run in the windows of `plan`. The
    /// graph's inputs and outputs are those of a run; `weights` is read here and not kept.
    ///
    /// # Errors
    /// [`BackendError`] where a weight is missing or has another size, where the device refuses a
    /// buffer or a kernel, or where graph, program and plan do not belong together.
    pub fn new(
        context: &Context,
        graph: &Graph,
        program: &Program,
        plan: &Plan,
        weights: &dyn Weights,
    ) -> Result<Self, BackendError> {
        let mut shared = Shared::default();
        Self::sharing(context, graph, program, plan, weights, &mut shared)
    }

    /// The same with the weights and states that are `shared`, to which it adds its own.
    pub(super) fn sharing(
        context: &Context,
        graph: &Graph,
        program: &Program,
        plan: &Plan,
        weights: &dyn Weights,
        shared: &mut Shared,
    ) -> Result<Self, BackendError> {
        let weights = memory::weights_of(graph, weights)?;
        let memory = Memory::new(context, program, plan, &weights, shared)?;
        let inputs = Inputs::new(graph, program, &memory)?;
        let outputs = output::outputs(context, graph, program, &memory)?;
        let chain = Chain::new(context, step::steps(context, program, plan, &memory)?);
        let report = CompileReport {
            dispatches: chain.labels().map(str::to_owned).collect(),
            fused: 0,
            peak: plan.peak,
            lower_bound: plan.lower_bound,
            weight_bytes: weights.values().map(|bytes| bytes.len() as u64).sum(),
        };
        Ok(Self {
            context: context.clone(),
            inputs,
            outputs,
            chain,
            report,
        })
    }

    /// The same, with the number of operators that were fused in its report.
    #[must_use]
    pub fn with_fused(mut self, fused: usize) -> Self {
        self.report.fused = fused;
        self
    }

    /// Submits all dispatches once, and neither writes, waits nor reads anything: what they compute
    /// means nothing, as a run may have reused the windows of its inputs. For measuring.
    ///
    /// # Errors
    /// [`DeviceError`] where the device fails.
    pub fn submit(&mut self) -> Result<(), DeviceError> {
        self.chain.submit()
    }

    /// As [`Executor::submit`], and gives the time that the device took for all dispatches; `None`
    /// where the device has no timestamps.
    ///
    /// # Errors
    /// [`DeviceError`] where the device fails.
    pub fn time(&mut self) -> Result<Option<Duration>, DeviceError> {
        let all: Vec<usize> = (0..self.chain.len()).collect();
        let times = self.chain.times(&[all])?;
        Ok(times.map(|times| times.iter().sum()))
    }

    /// As [`Executor::time`], each dispatch in a pass of its own, with the labels of their kernels.
    ///
    /// # Errors
    /// [`DeviceError`] where the device fails.
    pub fn profile(&mut self) -> Result<Option<Vec<(String, Duration)>>, DeviceError> {
        let each: Vec<[usize; 1]> = (0..self.chain.len()).map(|index| [index]).collect();
        let labels = self.chain.labels().map(str::to_owned);
        let times = self.chain.times(&each)?;
        Ok(times.map(|times| labels.zip(times).collect()))
    }
}

impl Executable for Executor {
    fn run(&mut self, inputs: &[(&str, Tensor)]) -> Result<Vec<(String, Tensor)>, BackendError> {
        self.inputs.write(&self.context, inputs)?;
        let submission = self.context.submit_commands(|encoder| {
            self.chain.encode(encoder);
            self.outputs.iter().for_each(|output| output.copy(encoder));
        })?;
        let mut tensors: Vec<_> = self.outputs.iter().map(Output::zeros).collect();
        let mut reads: Vec<_> = tensors
            .iter_mut()
            .zip(&self.outputs)
            .map(|((_, tensor), output)| (&output.staging, output::bytes_of(tensor)))
            .collect();
        self.context.map(&mut reads, submission)?;
        Ok(tensors)
    }

    fn report(&self) -> &CompileReport {
        &self.report
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}
