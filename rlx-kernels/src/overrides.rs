//! Const parameters of a kernel that are set when its pipeline is made: WGSL's `override`s.

use std::borrow::Cow;

use rlx_kernel_twin::formula;
pub use rlx_kernel_twin::formula::Term;

/// A const parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The Rust parameter's name.
    pub name: Cow<'static, str>,
    /// Its name in the WGSL; empty where only the host goes by it.
    pub variable: Cow<'static, str>,
    /// WGSL type: `u32`, `i32` or `bool`.
    pub ty: Cow<'static, str>,
    /// Its value where a launch says nothing; bools are 0 and 1.
    pub default: i64,
}

/// What overrides change about a kernel's workgroup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workgroup {
    /// Invocations by dimension.
    pub size: [Formula; 3],
    /// Bytes of workgroup memory.
    pub bytes: Formula,
}

/// A number that depends on overrides: terms in postfix order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula(pub Cow<'static, [Term]>);

impl Formula {
    /// The number for `overrides`; none where a step has no whole, non-negative result.
    pub fn value(&self, overrides: &[i64]) -> Option<u64> {
        formula::value(&self.0, overrides)
    }
}
