//! Adapters by name, and which one a command takes.

use rlx_backends::Capabilities;
use rlx_backends::wgpu::{AdapterSummary, Context, ContextError, ContextOptions};
use serde::Serialize;

use crate::output::complain;

/// The device of the adapter that was asked for, or of the preferred one.
pub fn open(wanted: Option<&str>) -> Result<Context, ContextError> {
    Context::new(&ContextOptions {
        adapter: wanted.map(str::to_owned),
        ..ContextOptions::default()
    })
}

/// The device of the preferred adapter; `None`, and a note, where there is no adapter.
pub fn open_preferred() -> Result<Option<Context>, ContextError> {
    or_none(open(None))
}

/// What was opened; `None`, and a note, where there is no adapter.
pub fn or_none(opened: Result<Context, ContextError>) -> Result<Option<Context>, ContextError> {
    match opened {
        Err(ContextError::NoAdapter) => {
            note_no_adapter();
            Ok(None)
        }
        opened => opened.map(Some),
    }
}

/// Says that there is no adapter and how to get one.
pub fn note_no_adapter() {
    complain(
        "note",
        &format_args!("{}; going on with the CPU backend", ContextError::NoAdapter),
    );
}

/// An adapter as JSON.
#[derive(Debug, Serialize)]
pub struct AdapterJson {
    name: String,
    backend: String,
    #[serde(rename = "type")]
    kind: String,
    driver: String,
    subgroup_size: Option<Range>,
    features: Vec<String>,
    /// Products of matrices.
    matrices: Vec<String>,
    limits: Limits,
}

#[derive(Debug, Serialize)]
struct Range {
    min: u32,
    max: u32,
}

#[derive(Debug, Serialize)]
struct Limits {
    storage_alignment: u64,
    max_binding: u64,
    max_buffer: u64,
    workgroup_bytes: u32,
    invocations: u32,
}

impl From<&AdapterSummary> for AdapterJson {
    fn from(adapter: &AdapterSummary) -> Self {
        let Capabilities {
            features,
            limits,
            workgroup_bytes,
            invocations,
            subgroup_size,
            matrices,
        } = adapter.capabilities.clone();
        Self {
            name: adapter.name.clone(),
            backend: adapter.backend.clone(),
            kind: adapter.kind.to_string(),
            driver: adapter.driver.clone(),
            subgroup_size: subgroup_size.map(|(min, max)| Range { min, max }),
            features: feature_names(features),
            matrices: matrices.iter().map(ToString::to_string).collect(),
            limits: Limits {
                storage_alignment: limits.storage_alignment,
                max_binding: limits.max_binding,
                max_buffer: limits.max_buffer,
                workgroup_bytes,
                invocations,
            },
        }
    }
}

/// The names of features, one by one.
pub fn feature_names(features: rlx_kernels::Features) -> Vec<String> {
    if features == rlx_kernels::Features::NONE {
        return Vec::new();
    }
    features.describe().split(", ").map(str::to_owned).collect()
}
