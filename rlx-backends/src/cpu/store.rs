//! The bytes of a graph's weights: copied, or where their store has them.

use std::sync::Arc;

use rlx_core::{Graph, Node, ValueId, Weights};

use crate::error::BackendError;
use crate::signature::weight_bytes;

/// The weights of a graph.
pub(super) enum Store {
    /// By value; empty for what is no weight.
    Owned(Vec<Vec<u8>>),
    /// In a store, of which the graph takes so many bytes.
    Shared(Arc<dyn Weights + Send>, u64),
}

impl Store {
    /// Copies the weights of `graph`.
    pub fn owned(graph: &Graph, weights: &dyn Weights) -> Result<Self, BackendError> {
        let bytes = |node| Ok(weight_bytes(node, weights)?.unwrap_or_default().to_vec());
        let all: Result<_, BackendError> = graph.nodes().iter().map(bytes).collect();
        Ok(Self::Owned(all?))
    }

    /// Checks that `weights` has all of `graph`, and leaves them there.
    pub fn shared(graph: &Graph, weights: &Arc<dyn Weights + Send>) -> Result<Self, BackendError> {
        let mut bytes = 0;
        for node in graph.nodes() {
            bytes += weight_bytes(node, weights)?.map_or(0, |bytes| bytes.len() as u64);
        }
        Ok(Self::Shared(Arc::clone(weights), bytes))
    }

    /// Bytes of all weights.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Owned(all) => all.iter().map(|bytes| bytes.len() as u64).sum(),
            Self::Shared(_, bytes) => *bytes,
        }
    }

    /// The bytes of weight `id`, which is `node`.
    pub fn weight(&self, id: ValueId, node: &Node) -> Result<&[u8], BackendError> {
        match self {
            Self::Owned(all) => Ok(all.get(id.index()).map_or(&[], Vec::as_slice)),
            Self::Shared(weights, _) => Ok(weight_bytes(node, weights)?.unwrap_or_default()),
        }
    }
}
