//! The wgpu backend: a device context, and an executor for lowered graphs.
//!
//! A [`Context`] is a device that the user owns; it runs single dispatches over its [`Buffer`]s.
//! An [`Executor`] holds a whole program, ready to run, and [`WgpuBackend`] makes one of a graph.
//! Nothing here is global, nothing panics: whatever the device refuses is a [`DeviceError`] that
//! names what was being made.

mod adapter;
mod agreement;
mod binding;
mod buffer;
mod chain;
mod checks;
mod context;
mod error;
mod executor;
mod fault;
mod launch;
mod pipeline;
mod step;
mod timer;
mod trace;
mod upload;

pub use adapter::{AdapterKind, AdapterSummary};
pub use agreement::{
    Agreement, AgreementError, DeviceAgreement, Difference, OutputAgreement, agree,
};
pub use buffer::{Buffer, BufferHandle};
pub use chain::Chain;
pub use context::{Context, ContextOptions, Resources};
pub use error::{ContextError, DeviceError, DeviceLimit};
use executor::Shared;
pub use executor::{Executor, MismatchError};
use std::sync::Arc;

use rlx_core::{Graph, Precision, Weights, lower};
pub use trace::Traces;

use crate::backend::{Backend, Capabilities, Executable};
use crate::error::BackendError;
use crate::signature::check_states;

/// Runs graphs on the device of a [`Context`].
#[derive(Clone, Debug)]
pub struct WgpuBackend {
    /// The device.
    pub context: Context,
    /// How exact matrix products are.
    pub precision: Precision,
}

impl WgpuBackend {
    /// A backend whose products are exact.
    pub fn new(context: Context) -> Self {
        Self {
            context,
            precision: Precision::Exact,
        }
    }

    /// The same with products of that precision.
    #[must_use]
    pub fn with_precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// Lowers and plans `graph` and makes it ready to run.
    ///
    /// # Errors
    /// [`BackendError`] as [`Backend::compile`].
    pub fn executor(&self, graph: &Graph, weights: &dyn Weights) -> Result<Executor, BackendError> {
        self.sharing(graph, weights, &mut Shared::default())
    }

    fn sharing(
        &self,
        graph: &Graph,
        weights: &dyn Weights,
        shared: &mut Shared,
    ) -> Result<Executor, BackendError> {
        rlx_core::verify(graph)?;
        let (fused_graph, fused) = rlx_core::fuse_regions(graph);
        let options = self.capabilities().lowering(self.precision);
        let program = lower(&fused_graph, &options)?;
        let plan = rlx_core::plan(&program, &self.capabilities().limits)?;
        let executor = Executor::sharing(&self.context, graph, &program, &plan, weights, shared)?;
        Ok(executor.with_fused(fused))
    }
}

impl Backend for WgpuBackend {
    fn name(&self) -> &'static str {
        "wgpu"
    }

    fn capabilities(&self) -> &Capabilities {
        self.context.capabilities()
    }

    fn compile(
        &self,
        graph: &Graph,
        weights: &dyn Weights,
    ) -> Result<Box<dyn Executable>, BackendError> {
        Ok(Box::new(self.executor(graph, weights)?))
    }

    fn compile_together(
        &self,
        graphs: &[&Graph],
        weights: &Arc<dyn Weights + Send>,
    ) -> Result<Vec<Box<dyn Executable>>, BackendError> {
        check_states(graphs)?;
        let mut shared = Shared::default();
        let executables = graphs.iter().map(|graph| {
            let executor = self.sharing(graph, weights, &mut shared)?;
            Ok(Box::new(executor) as Box<dyn Executable>)
        });
        executables.collect()
    }
}
