//! Variables of a function on the way to one point of it.

use std::collections::HashMap;

use super::value::Value;
use crate::item::LocalId;

/// Values of variables, and what they were before.
#[derive(Debug, Default)]
pub struct Frame {
    values: HashMap<LocalId, Value>,
    changes: Vec<(LocalId, Option<Value>)>,
}

impl Frame {
    pub fn get(&self, local: LocalId) -> Option<&Value> {
        self.values.get(&local)
    }

    pub fn set(&mut self, local: LocalId, value: Value) {
        let before = self.values.insert(local, value);
        self.changes.push((local, before));
    }

    pub fn remove(&mut self, local: LocalId) {
        let before = self.values.remove(&local);
        self.changes.push((local, before));
    }

    /// A point to go back to.
    pub fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Goes back to a point; gives the last values of the variables that were changed since.
    pub fn rollback(&mut self, mark: usize) -> HashMap<LocalId, Option<Value>> {
        let mut since = HashMap::new();
        while self.changes.len() > mark {
            let Some((local, before)) = self.changes.pop() else {
                break;
            };
            let after = match before {
                Some(before) => self.values.insert(local, before),
                None => self.values.remove(&local),
            };
            // The latest change of a variable is met first.
            since.entry(local).or_insert(after);
        }
        since
    }
}
