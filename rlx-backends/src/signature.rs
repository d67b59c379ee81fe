//! What a graph takes from its caller and from its weights, checked in one place for every backend.

use std::collections::HashMap;

use rlx_core::{DType, Elem, Graph, Node, Op, Shape, Weights};

use crate::error::BackendError;
use crate::tensor::Tensor;

/// The inputs of a graph, in node order.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    inputs: Vec<(String, Shape, DType)>,
}

impl Signature {
    /// The inputs of `graph`.
    pub fn of(graph: &Graph) -> Self {
        let inputs = graph
            .nodes()
            .iter()
            .filter_map(|node| match (&node.op, node.dtype) {
                (Op::Input { name }, Elem::Dense(dtype)) => {
                    Some((name.clone(), node.shape.clone(), dtype))
                }
                _ => None,
            });
        Self {
            inputs: inputs.collect(),
        }
    }

    /// Name, shape and dtype of each input.
    pub fn inputs(&self) -> &[(String, Shape, DType)] {
        &self.inputs
    }

    /// The tensors of a run in the order of [`Self::inputs`].
    ///
    /// # Errors
    /// [`BackendError`] where an input is unknown, given twice, missing, or of another shape, dtype
    /// or length than the graph's.
    pub fn bind<'a>(&self, tensors: &'a [(&str, Tensor)]) -> Result<Vec<&'a Tensor>, BackendError> {
        let mut given: HashMap<&str, &Tensor> = HashMap::with_capacity(tensors.len());
        for (name, tensor) in tensors {
            if given.insert(name, tensor).is_some() {
                return Err(BackendError::DuplicateInput {
                    name: (*name).into(),
                });
            }
        }
        let bound = self.inputs.iter().map(|(name, shape, dtype)| {
            let missing = || BackendError::MissingInput {
                name: name.clone(),
                dtype: *dtype,
                shape: shape.clone(),
            };
            let tensor = given.remove(name.as_str()).ok_or_else(missing)?;
            check_input(name, shape, *dtype, tensor)?;
            Ok(tensor)
        });
        let bound = bound.collect::<Result<Vec<_>, BackendError>>();
        // A misspelt name is missing and unknown at once: the unknown one says more.
        let unknown = tensors
            .iter()
            .find(|(name, _)| self.inputs.iter().all(|(known, ..)| known != name));
        match unknown {
            Some((name, _)) => Err(BackendError::UnknownInput {
                name: (*name).into(),
                inputs: self.names(),
            }),
            None => bound,
        }
    }

    fn names(&self) -> String {
        let names: Vec<_> = self
            .inputs
            .iter()
            .map(|(name, ..)| format!("`{name}`"))
            .collect();
        if names.is_empty() {
            "none".into()
        } else {
            names.join(", ")
        }
    }
}

fn check_input(
    name: &str,
    shape: &Shape,
    dtype: DType,
    tensor: &Tensor,
) -> Result<(), BackendError> {
    let name = || name.to_string();
    if tensor.data.dtype() != dtype {
        return Err(BackendError::InputDtype {
            name: name(),
            expected: dtype,
            found: tensor.data.dtype(),
        });
    }
    if tensor.shape != *shape {
        return Err(BackendError::InputShape {
            name: name(),
            expected: shape.clone(),
            found: tensor.shape.clone(),
        });
    }
    let (expected, found) = (shape.elems()?, tensor.data.len() as u64);
    if expected != found {
        return Err(BackendError::InputLength {
            name: name(),
            shape: shape.clone(),
            expected,
            found,
        });
    }
    Ok(())
}

/// The bytes of the weight that `node` names, as many as its shape and format take; `None` for a node
/// that is no weight.
///
/// # Errors
/// [`BackendError::Weights`] where the store has no such weight, [`BackendError::WeightBytes`] where
/// it has another number of bytes.
pub fn weight_bytes<'w>(
    node: &Node,
    weights: &'w dyn Weights,
) -> Result<Option<&'w [u8]>, BackendError> {
    let (Op::Weight { name }, Elem::Weight(format)) = (&node.op, node.dtype) else {
        return Ok(None);
    };
    let bytes = weights.bytes(name)?;
    let (expected, found) = (node.dtype.bytes_of(&node.shape)?, bytes.len() as u64);
    if expected != found {
        let (name, shape, format) = (name.clone(), node.shape.clone(), format.name);
        return Err(BackendError::WeightBytes {
            name,
            shape,
            format,
            expected,
            found,
        });
    }
    Ok(Some(bytes))
}

/// Checks that states of one name have one shape in all `graphs`.
///
/// # Errors
/// [`BackendError::StateShape`] for the first that has not.
pub fn check_states(graphs: &[&Graph]) -> Result<(), BackendError> {
    let mut shapes: HashMap<&str, &Shape> = HashMap::new();
    for node in graphs.iter().flat_map(|graph| graph.nodes()) {
        let Op::State { name } = &node.op else {
            continue;
        };
        let known = *shapes.entry(name).or_insert(&node.shape);
        if *known != node.shape {
            return Err(BackendError::StateShape {
                name: name.clone(),
                shape: node.shape.clone(),
            });
        }
    }
    Ok(())
}
