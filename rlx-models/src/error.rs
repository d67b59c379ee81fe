//! Why a file is no model that runs here.

use rlx_core::gguf::{GgufError, MetadataError};
use rlx_core::{GraphError, Shape};

use crate::architecture::names;

/// Why a file is no model that runs here.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file cannot be read.
    #[error(transparent)]
    Gguf(Box<GgufError>),
    /// A key is missing, or its value is of another type.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// A key has a value that makes no model.
    #[error("`{key}` is {found}; it must be {expected}")]
    Value {
        /// The key.
        key: String,
        /// What it must be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The architecture is none of those that are built in.
    #[error("there is no architecture `{name}` here; there are: {}", names())]
    Architecture {
        /// `general.architecture` of the file.
        name: String,
    },
    /// A tensor is missing.
    #[error("the file has no tensor `{name}`")]
    Tensor {
        /// The tensor.
        name: String,
    },
    /// A tensor has another shape than the metadata say.
    #[error("tensor `{name}` has shape {found}; the metadata make it {expected}")]
    TensorShape {
        /// The tensor.
        name: String,
        /// By the metadata.
        expected: Shape,
        /// In the file.
        found: Shape,
    },
    /// No kernel reads the type of a tensor.
    #[error("tensor `{name}` is in {format}, which no kernel reads")]
    Format {
        /// The tensor.
        name: String,
        /// Its type.
        format: &'static str,
    },
    /// The graph of the model is not legal.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl From<GgufError> for ModelError {
    fn from(error: GgufError) -> Self {
        Self::Gguf(Box::new(error))
    }
}
