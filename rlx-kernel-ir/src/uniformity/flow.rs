//! The state at a point of a function.

use super::cause::{Exit, Value};
use crate::item::LocalId;
use crate::span::Span;

/// Control flow and variables.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// Why some invocations may not get here. The specification's analysis asks for it even where
    /// none does.
    pub control: Value,
    /// Whether control gets here at all.
    pub live: bool,
    vars: Vec<Value>,
}

impl Flow {
    /// The beginning of a function with so many variables.
    pub fn new(locals: usize) -> Self {
        Self {
            control: None,
            live: true,
            vars: vec![None; locals],
        }
    }

    /// A point that nothing has reached yet.
    pub fn unreached() -> Self {
        Self {
            control: None,
            live: false,
            vars: Vec::new(),
        }
    }

    pub fn get(&self, local: LocalId) -> Value {
        self.vars.get(local.0).cloned().flatten()
    }

    pub fn set(&mut self, local: LocalId, value: Value) {
        if let Some(var) = self.vars.get_mut(local.0) {
            *var = value;
        }
    }

    /// Adds a way to get here: variables are uniform where they are so on all ways.
    pub fn join(&mut self, other: &Self) {
        if !other.live {
            return;
        }
        if !self.live {
            self.live = true;
            self.vars.clone_from(&other.vars);
            return;
        }
        for (var, other) in self.vars.iter_mut().zip(&other.vars) {
            if var.is_none() {
                var.clone_from(other);
            }
        }
    }

    /// Whether the same things are uniform.
    pub fn agrees(&self, other: &Self) -> bool {
        self.control.is_some() == other.control.is_some()
            && (self.vars.iter().map(Option::is_some)).eq(other.vars.iter().map(Option::is_some))
    }
}

/// How statements leave what is around them, and where: the behaviours of the specification.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exits {
    pub returns: Option<Span>,
    pub breaks: Option<Span>,
    pub continues: Option<Span>,
}

impl Exits {
    pub fn any(self) -> Option<(Exit, Span)> {
        let exits = [
            (Exit::Return, self.returns),
            (Exit::Break, self.breaks),
            (Exit::Continue, self.continues),
        ];
        exits
            .into_iter()
            .find_map(|(exit, span)| Some((exit, span?)))
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            returns: self.returns.or(other.returns),
            breaks: self.breaks.or(other.breaks),
            continues: self.continues.or(other.continues),
        }
    }

    /// What of it goes past the loop around it.
    #[must_use]
    pub fn past_loop(self) -> Self {
        Self {
            returns: self.returns,
            ..Self::default()
        }
    }
}
