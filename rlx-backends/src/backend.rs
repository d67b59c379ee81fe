//! What every backend does: compile a graph, then run it as often as asked.

use std::sync::Arc;

use rlx_core::{Graph, LowerOptions, PlanLimits, Precision, Weights};
use rlx_kernels::{Features, MatrixShape};

use crate::error::BackendError;
use crate::tensor::Tensor;

/// Something that runs graphs.
pub trait Backend: Send + Sync {
    /// The backend's name, such as `cpu`.
    fn name(&self) -> &str;

    /// What the device can do.
    fn capabilities(&self) -> &Capabilities;

    /// Makes `graph` ready to run with `weights`, whose bytes are taken now and not needed later.
    ///
    /// # Errors
    /// [`BackendError`] where the graph is not legal or the device cannot run it, a weight is missing
    /// or has the wrong number of bytes, or the device fails.
    fn compile(
        &self,
        graph: &Graph,
        weights: &dyn Weights,
    ) -> Result<Box<dyn Executable>, BackendError>;

    /// Makes `graphs` ready to run with the same `weights`, such as those of a model for one row and for many.
    /// A weight that several of them take is on the device once, and states of one name are one state.
    ///
    /// # Errors
    /// [`BackendError`] as [`Backend::compile`], and where a state has another shape in another graph.
    fn compile_together(
        &self,
        graphs: &[&Graph],
        weights: &Arc<dyn Weights + Send>,
    ) -> Result<Vec<Box<dyn Executable>>, BackendError>;
}

/// A graph that is ready to run.
pub trait Executable: Send {
    /// Runs the graph once: takes every input of the graph by name, in any order, and gives every
    /// output in the graph's order.
    ///
    /// # Errors
    /// [`BackendError`] where an input is unknown, missing, given twice or not of the graph's shape
    /// and dtype, a row id is out of range, or the device fails.
    fn run(&mut self, inputs: &[(&str, Tensor)]) -> Result<Vec<(String, Tensor)>, BackendError>;

    /// What compiling the graph came to.
    fn report(&self) -> &CompileReport;
}

/// What a device can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Features that kernels may need.
    pub features: Features,
    /// Limits on bindings and buffers, in bytes.
    pub limits: PlanLimits,
    /// Bytes of workgroup memory; 0 where there are no workgroups.
    pub workgroup_bytes: u32,
    /// Invocations a workgroup; 0 where there are no workgroups.
    pub invocations: u32,
    /// The smallest and the largest subgroup, in invocations.
    pub subgroup_size: Option<(u32, u32)>,
    /// The products of matrices that kernels may ask for; none without that feature.
    pub matrices: Vec<MatrixShape>,
}

impl Capabilities {
    /// What lowering goes by on such a device.
    pub fn lowering(&self, precision: Precision) -> LowerOptions {
        LowerOptions {
            features: self.features,
            matrices: self.matrices.clone(),
            workgroup_bytes: self.workgroup_bytes,
            invocations: self.invocations,
            binding_bytes: self.limits.max_binding,
            precision,
            epilogues: true,
        }
    }
}

/// What compiling a graph came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileReport {
    /// The labels of what a run executes, in order.
    pub dispatches: Vec<String>,
    /// Nodes that fusion saved.
    pub fused: usize,
    /// Bytes that the values of a run take, weights not counted.
    pub peak: u64,
    /// Bytes of the largest set of values that live at once: no plan has a lower peak.
    pub lower_bound: u64,
    /// Bytes of the weights.
    pub weight_bytes: u64,
}
