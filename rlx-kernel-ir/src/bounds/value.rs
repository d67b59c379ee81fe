//! Values as far as they are followed.

use super::poly::Poly;

/// What is known of the value of an expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    #[default]
    Unknown,
    /// An integer.
    Int(Poly),
    /// A `u32` that is each of these but for a multiple of 2³².
    Wrapped {
        /// What it would be without wrapping.
        exact: Poly,
        /// The same with an atom for what had wrapped before, where something had.
        any: Option<Poly>,
    },
    /// A vector of integers.
    Vector(Vec<Poly>),
    /// A condition.
    Bool(Condition),
}

/// What follows from a condition: polynomials that are at least 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Where it holds.
    pub yes: Vec<Poly>,
    /// Where it does not.
    pub no: Vec<Poly>,
}

impl Condition {
    /// The condition's opposite.
    pub fn negated(self) -> Self {
        Self {
            yes: self.no,
            no: self.yes,
        }
    }
}
