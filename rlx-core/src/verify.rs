//! What a legal graph is, as code.

use crate::graph::{Graph, GraphError, ValueId, infer};
use crate::{Elem, Op, Shape};

/// Checks that `graph` is legal: every node reads only earlier ones and meets its operator's demands
/// on names, dtypes, ranks, shapes and sizes; every node has the shape and dtype that its operator
/// implies; there is an output, and each is a dense value under a name of its own.
///
/// # Errors
/// [`VerifyError`] with the first fault, in node order.
pub fn verify(graph: &Graph) -> Result<(), VerifyError> {
    let nodes = graph.nodes();
    for (i, node) in nodes.iter().enumerate() {
        let declared = match node.op {
            Op::Input { .. } | Op::Weight { .. } | Op::State { .. } => {
                Some((node.shape.clone(), node.dtype))
            }
            _ => None,
        };
        let (shape, dtype) = infer(&nodes[..i], &node.op, declared)?;
        if (&shape, dtype) != (&node.shape, node.dtype) {
            // `infer` has seen that the number fits.
            let (id, op) = (ValueId(i as u32), node.op.to_string());
            let found = (node.shape.clone(), node.dtype);
            return Err(VerifyError::Implied {
                node: id,
                op,
                implied: (shape, dtype),
                found,
            });
        }
    }
    if graph.outputs().is_empty() {
        return Err(VerifyError::NoOutputs);
    }
    for (i, (name, value)) in graph.outputs().iter().enumerate() {
        graph.check_output(name, *value, i)?;
    }
    Ok(())
}

/// Why a graph is not legal.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VerifyError {
    /// A node or an output is one that the graph would not have taken.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A node's shape or dtype is not what its operator gives.
    #[error(
        "{node} = {op}: the operator gives {} of shape {}, the node says {} of shape {}",
        implied.1, implied.0, found.1, found.0
    )]
    Implied {
        /// The node.
        node: ValueId,
        /// Its operator.
        op: String,
        /// What the operator gives.
        implied: (Shape, Elem),
        /// What the node says.
        found: (Shape, Elem),
    },
    /// Nothing is computed for anyone.
    #[error("the graph has no outputs")]
    NoOutputs,
}
