//! Where a graph's weights come from.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

/// A store of weights by name, such as a GGUF file.
pub trait Weights: Sync {
    /// The raw blocks of tensor `name`, row by row.
    ///
    /// # Errors
    /// [`WeightsError`] where there is no such tensor or it cannot be read.
    fn bytes(&self, name: &str) -> Result<&[u8], WeightsError>;
}

impl<S: BuildHasher + Sync> Weights for HashMap<String, Vec<u8>, S> {
    fn bytes(&self, name: &str) -> Result<&[u8], WeightsError> {
        self.get(name)
            .map(Vec::as_slice)
            .ok_or_else(|| WeightsError::Missing { name: name.into() })
    }
}

impl<W: Weights + Send + ?Sized> Weights for Arc<W> {
    fn bytes(&self, name: &str) -> Result<&[u8], WeightsError> {
        (**self).bytes(name)
    }
}

/// Why a weight cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// There is no tensor of that name.
    #[error("there is no weight `{name}`")]
    Missing {
        /// The name asked for.
        name: String,
    },
    /// The tensor is there and cannot be read.
    #[error("weight `{name}` cannot be read: {reason}")]
    Unreadable {
        /// The tensor.
        name: String,
        /// What went wrong, with the file and the byte.
        reason: String,
    },
}
