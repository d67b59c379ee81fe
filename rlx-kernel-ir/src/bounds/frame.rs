//! Variables of a function on the way to one point of it.

use super::value::Value;
use crate::item::LocalId;

/// Values of variables, and what they were before.
#[derive(Debug, Default)]
pub struct Frame {
    /// By the numbers of the variables.
    values: Vec<Option<Value>>,
    changes: Vec<(LocalId, Option<Value>)>,
}

/// The last values of variables that were changed, each variable once.
pub type Changed = Vec<(LocalId, Option<Value>)>;

impl Frame {
    pub fn get(&self, local: LocalId) -> Option<&Value> {
        self.values.get(local.0)?.as_ref()
    }

    pub fn set(&mut self, local: LocalId, value: Value) {
        self.change(local, Some(value));
    }

    pub fn remove(&mut self, local: LocalId) {
        self.change(local, None);
    }

    pub fn change(&mut self, local: LocalId, value: Option<Value>) {
        let before = self.replace(local, value);
        self.changes.push((local, before));
    }

    fn replace(&mut self, local: LocalId, value: Option<Value>) -> Option<Value> {
        if self.values.len() <= local.0 {
            self.values.resize(local.0 + 1, None);
        }
        std::mem::replace(&mut self.values[local.0], value)
    }

    /// A point to go back to.
    pub fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Goes back to a point; gives the last values of the variables that were changed since.
    pub fn rollback(&mut self, mark: usize) -> Changed {
        let mut since = Changed::new();
        while self.changes.len() > mark {
            let Some((local, before)) = self.changes.pop() else {
                break;
            };
            let after = self.replace(local, before);
            // The latest change of a variable is met first.
            if !since.iter().any(|(known, _)| *known == local) {
                since.push((local, after));
            }
        }
        since
    }
}
