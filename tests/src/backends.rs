//! The backends that results are held to, each with what its error may be.

use rlx_backends::wgpu::{Context, ContextError, ContextOptions, WgpuBackend};
use rlx_backends::{Backend, CpuBackend};
use rlx_core::Precision;

use crate::product::{F32_BOUND, HALF_BOUND, INT8_BOUND};

/// A backend, what it is called, and what its error may be.
pub struct Named {
    /// What it is called.
    pub name: &'static str,
    /// It.
    pub backend: Box<dyn Backend>,
    /// The NMSE that its products may have.
    pub bound: f64,
}

impl Named {
    /// The preferred adapter, opened as `options` say.
    ///
    /// # Errors
    /// [`ContextError`] where there is none: a test without an adapter fails.
    pub fn gpu(
        name: &'static str,
        options: &ContextOptions,
        precision: Precision,
    ) -> Result<Self, ContextError> {
        let backend = WgpuBackend::new(Context::new(options)?).with_precision(precision);
        Ok(Self {
            name,
            backend: Box::new(backend),
            bound: match precision {
                Precision::Exact => F32_BOUND,
                Precision::Half => HALF_BOUND,
                Precision::Int8 => INT8_BOUND,
            },
        })
    }

    /// The CPU backend.
    pub fn cpu() -> Self {
        Self {
            name: "the CPU",
            backend: Box::new(CpuBackend::new()),
            bound: F32_BOUND,
        }
    }
}

/// The CPU, the preferred adapter at every precision, and it as WebGPU grants it by default; with bindings of
/// `binding_bytes` at most.
///
/// # Errors
/// [`ContextError`] where there is no adapter.
pub fn backends(binding_bytes: Option<u64>) -> Result<Vec<Named>, ContextError> {
    let full = ContextOptions {
        binding_bytes,
        ..ContextOptions::default()
    };
    let least = ContextOptions {
        webgpu_defaults: true,
        ..full.clone()
    };
    Ok(vec![
        Named::cpu(),
        Named::gpu("the adapter", &full, Precision::Exact)?,
        Named::gpu("the adapter by halves", &full, Precision::Half)?,
        Named::gpu("the adapter by bytes", &full, Precision::Int8)?,
        Named::gpu("WebGPU's defaults", &least, Precision::Exact)?,
    ])
}
