//! Why a command ends without success.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use rlx_backends::BackendError;
use rlx_backends::wgpu::{ContextError, DeviceError};
use rlx_conformance::golden::GoldenError;
use rlx_core::GraphError;
use rlx_core::gguf::GgufError;
use rlx_models::{ChatError, SessionError};

use crate::bench::work::Shape;
use crate::matrix::NoMatrix;

/// Why a command ends without success.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The model file cannot be read.
    #[error(transparent)]
    Gguf(Box<GgufError>),
    /// The file is no model that runs here.
    #[error(transparent)]
    Model(#[from] rlx_models::ModelError),
    /// The file's tokenizer cannot be made, or the prompt not be encoded.
    #[error(transparent)]
    Tokenizer(#[from] rlx_models::TokenizerError),
    /// The model cannot go on.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The file has no chat template, or it refuses the turns.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// A text cannot be read.
    #[error("{}: {source}", path.display())]
    Text { path: PathBuf, source: io::Error },
    /// The standard input cannot be read.
    #[error("the standard input cannot be read: {0}")]
    Stdin(#[source] io::Error),
    /// Ctrl-C cannot be watched for.
    #[error("Ctrl-C cannot be watched for: {0}")]
    Interrupt(#[from] ctrlc::Error),
    /// The golden blocks cannot be read.
    #[error(transparent)]
    Golden(#[from] GoldenError),
    /// No device can be opened.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// The file has no such tensor.
    #[error("`{file}` has no tensor `{name}`{near}")]
    NoTensor {
        file: String,
        name: String,
        /// Similar names, as a sentence; empty where there are none.
        near: String,
    },
    /// The tensor is no matrix that can be multiplied with.
    #[error("tensor `{name}`: {reason}")]
    NoMatrix { name: String, reason: NoMatrix },
    /// More activations or results than the command makes.
    #[error(
        "--m {m}: {m} rows of {k} activations or of their results are more than {limit} numbers"
    )]
    Activations { m: u64, k: u64, limit: u64 },
    /// There is no such type of weights.
    #[error("--type {name}: there is no such type{near}; `all` takes every one")]
    NoType {
        name: String,
        /// Similar names, as a sentence; empty where there are none.
        near: String,
    },
    /// There is no such road.
    #[error("--road {name}: there is no such road; there are: {}, and `all`", names.join(", "))]
    NoRoad {
        name: String,
        names: Vec<&'static str>,
    },
    /// A row of weights would not be whole blocks.
    #[error("--k {k}: a row of {format} is whole blocks of {elems} weights")]
    Blocks {
        k: u32,
        format: &'static str,
        elems: u32,
    },
    /// Experts without a product that has any.
    #[error("--{option}: no op that is measured has experts; `--op moe` has")]
    NoExperts { option: &'static str },
    /// A row of activations would use more experts than there are.
    #[error("--used {used}: there are {experts} experts")]
    Used { used: u32, experts: u32 },
    /// The product of experts without what sorts their rows, which differ from round to round.
    #[error("--alone: rows are sorted by their experts in every round of `--op moe`")]
    AloneWithExperts,
    /// A matrix would be larger than the command makes.
    #[error("{shape}: activations, weights and results are {limit} numbers at most each")]
    Shape { shape: Shape, limit: u64 },
    /// No road fits any of the shapes.
    #[error("no road that was asked for fits: nothing was measured")]
    NothingToMeasure,
    /// An adapter was named for the CPU backend.
    #[error("--adapter names a GPU, and --backend cpu uses none")]
    AdapterOfCpu,
    /// There is no such kernel.
    #[error("there is no kernel `{name}`{near}; `rlx kernels list` lists all")]
    NoKernel {
        name: String,
        /// Similar names, as a sentence; empty where there are none.
        near: String,
    },
    /// The kernel does not run in browsers.
    #[error(transparent)]
    NotOnTheWeb(#[from] rlx_kernels::NotOnTheWeb),
    /// The kernel has several instances and none was named.
    #[error("kernel `{name}` has {} instances, name one: {}", labels.len(), quoted(labels))]
    Instances { name: String, labels: Vec<String> },
    /// The kernel has other instances than that.
    #[error(
        "kernel `{name}` has no instance `{instance}`, it has: {}",
        quoted(labels)
    )]
    NoInstance {
        name: String,
        instance: String,
        labels: Vec<String>,
    },
    /// The region of an operator does not compile.
    #[error("the region of operator `{op}` does not compile: {message}")]
    Region { op: &'static str, message: String },
    /// The graph of a layer is not legal.
    #[error(transparent)]
    Graph(Box<GraphError>),
    /// A backend refused or failed.
    #[error("{backend}: {source}")]
    Backend {
        backend: String,
        source: Box<BackendError>,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A check was made and did not hold.
    #[error("{0}")]
    Check(String),
    /// What was found has no JSON form.
    #[error("the result cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Nothing can be written to the standard output.
    #[error("the standard output cannot be written: {0}")]
    Stdout(#[source] io::Error),
}

impl From<GgufError> for CliError {
    fn from(error: GgufError) -> Self {
        Self::Gguf(error.into())
    }
}

impl From<GraphError> for CliError {
    fn from(error: GraphError) -> Self {
        Self::Graph(error.into())
    }
}

/// Labels of kernels, which may have commas of their own.
fn quoted(labels: &[String]) -> String {
    let labels = labels.iter().map(|label| format!("`{label}`"));
    labels.collect::<Vec<_>>().join(", ")
}

impl CliError {
    /// 2 where the user's input is wrong, 1 where a check, a device or the output failed.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Session(error) => match error {
                SessionError::Model(_)
                | SessionError::ContextFull { .. }
                | SessionError::Token { .. }
                | SessionError::Empty => ExitCode::from(2),
                SessionError::Backend(_) | SessionError::NoLogits => ExitCode::from(1),
            },
            Self::Gguf(_)
            | Self::Model(_)
            | Self::Tokenizer(_)
            | Self::Chat(_)
            | Self::Text { .. }
            | Self::Golden(_)
            | Self::Context(ContextError::NoAdapter | ContextError::NoSuchAdapter { .. })
            | Self::NoTensor { .. }
            | Self::NoMatrix { .. }
            | Self::Activations { .. }
            | Self::NoType { .. }
            | Self::NoRoad { .. }
            | Self::Blocks { .. }
            | Self::NoExperts { .. }
            | Self::Used { .. }
            | Self::AloneWithExperts
            | Self::Shape { .. }
            | Self::NothingToMeasure
            | Self::AdapterOfCpu
            | Self::NoKernel { .. }
            | Self::NotOnTheWeb(_)
            | Self::Instances { .. }
            | Self::NoInstance { .. } => ExitCode::from(2),
            Self::Context(ContextError::Request { .. })
            | Self::Region { .. }
            | Self::Graph(_)
            | Self::Backend { .. }
            | Self::Device(_)
            | Self::Check(_)
            | Self::Json(_)
            | Self::Interrupt(_)
            | Self::Stdin(_)
            | Self::Stdout(_) => ExitCode::from(1),
        }
    }
}
