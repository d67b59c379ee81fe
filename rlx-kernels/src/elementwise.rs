//! Elementwise operators: `#[device]` functions of scalars, in both of their compiled forms.

use std::fmt;
use std::hash::{Hash, Hasher};

/// One elementwise operator, made by `elementwise_ops!` from a `#[device]` function.
#[derive(Clone, Copy)]
pub struct ElementwiseOp {
    /// The operator's name, such as `silu`; the name of its function in Rust and in WGSL.
    pub name: &'static str,
    /// Operands, all f32; the result is f32 too.
    pub arity: usize,
    /// The WGSL of the function and of every helper it calls, each once, keyed by its name so that
    /// a region that uses several operators prints a shared helper once.
    pub wgsl: &'static [(&'static str, &'static str)],
    /// The same function as a program of the CPU twin.
    pub twin: &'static [u8],
    /// The same function compiled by rustc. Takes `arity` operands.
    pub apply: fn(&[f32]) -> f32,
}

impl fmt::Debug for ElementwiseOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.name, self.arity)
    }
}

impl PartialEq for ElementwiseOp {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ElementwiseOp {}

impl Hash for ElementwiseOp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
