//! Values that outlive a run, shared by the executables that are compiled together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rlx_core::{Graph, Op, ValueId};

use super::zeros;
use crate::error::BackendError;
use crate::signature::check_states;

/// The states by name.
pub(super) type Contents = HashMap<String, Vec<f32>>;

/// The states of some graphs; clones are the same states.
#[derive(Clone, Debug)]
pub(super) struct States(Arc<Mutex<Contents>>);

impl States {
    /// The states of `graphs`, all zeros.
    pub fn of(graphs: &[&Graph]) -> Result<Self, BackendError> {
        check_states(graphs)?;
        let mut contents = Contents::new();
        let nodes = graphs
            .iter()
            .flat_map(|graph| graph.nodes().iter().enumerate());
        for (index, node) in nodes {
            if let Op::State { name } = &node.op
                && !contents.contains_key(name)
            {
                contents.insert(name.clone(), zeros(ValueId(index as u32), node)?);
            }
        }
        Ok(Self(Arc::new(Mutex::new(contents))))
    }

    /// The states, for a whole run.
    pub fn lock(&self) -> MutexGuard<'_, Contents> {
        // A run that panicked left values, and no broken structure.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
