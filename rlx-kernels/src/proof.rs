//! What is proved of a kernel's indices and loops, and what the proofs rest on.

use std::borrow::Cow;

use crate::dispatch::DispatchError;
use crate::kernel::{KernelInfo, fnv1a};

/// Bytes of a binding at the most, for a proof to hold.
pub const MAX_BINDING_BYTES: u64 = (1 << 32) - 4;

/// What the compiler has proved of one WGSL text. It holds wherever the requirements do, a binding has
/// at most [`MAX_BINDING_BYTES`], and a dimension of the grid at most
/// [`MAX_WORKGROUPS`](crate::geometry::MAX_WORKGROUPS) workgroups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    wgsl: Option<u64>,
    indices: Cow<'static, [Unproved]>,
    loops: Cow<'static, [Unproved]>,
    requirements: Cow<'static, [Requirement]>,
}

/// An index that may be out of range, or a loop that may not end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    /// The file, as rustc names it.
    pub file: Cow<'static, str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Why nothing was proved.
    pub reason: Cow<'static, str>,
}

/// A condition of `#[requires(..)]` that proofs rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The condition as its author wrote it.
    pub text: Cow<'static, str>,
    /// What computes it.
    pub code: Cow<'static, [Code]>,
}

/// One step of a condition, on a stack of integers. The condition holds if 1 is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A number.
    Number(u64),
    /// Param `.0` of [`KernelInfo::params`], a `u32`.
    Param(usize),
    /// The value of override `.0` of [`KernelInfo::overrides`], a `u32`.
    Override(usize),
    /// The elements of binding `.0`; the 32-bit words of packed weights.
    Length(usize),
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a % b`
    Rem,
    /// `a.div_ceil(b)`
    DivCeil,
    /// `a && b`
    And,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
}

/// What a dispatch is made with, and requirements are of.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// One value for each of [`KernelInfo::overrides`].
    pub overrides: &'a [i64],
    /// The bytes of the params struct.
    pub params: &'a [u8],
    /// The elements of each binding; packed weights have 32-bit words.
    pub lengths: &'a [u64],
}

impl Proof {
    /// Nothing is proved.
    pub const NONE: Self = Self {
        wgsl: None,
        indices: Cow::Borrowed(&[]),
        loops: Cow::Borrowed(&[]),
        requirements: Cow::Borrowed(&[]),
    };

    /// For the compiler alone: a device runs what is proved without checks.
    #[doc(hidden)]
    pub const fn of_the_compiler(
        wgsl: u64,
        indices: Cow<'static, [Unproved]>,
        loops: Cow<'static, [Unproved]>,
        requirements: Cow<'static, [Requirement]>,
    ) -> Self {
        Self {
            wgsl: Some(wgsl),
            indices,
            loops,
            requirements,
        }
    }

    /// Whether every index is in range.
    pub fn holds_for_indices(&self) -> bool {
        self.wgsl.is_some() && self.indices.is_empty()
    }

    /// Whether every loop ends.
    pub fn holds_for_loops(&self) -> bool {
        self.wgsl.is_some() && self.loops.is_empty()
    }

    /// Whether it is a proof of the WGSL of `kernel`.
    pub fn is_of(&self, kernel: &KernelInfo) -> bool {
        self.wgsl == Some(fnv1a(kernel.wgsl.as_bytes()))
    }

    /// Indices that may be out of range.
    pub fn indices(&self) -> &[Unproved] {
        &self.indices
    }

    /// Loops that may not end.
    pub fn loops(&self) -> &[Unproved] {
        &self.loops
    }

    /// What the proof rests on.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }
}

impl KernelInfo {
    /// Checks the requirements of the kernel against what a dispatch is made with.
    ///
    /// # Errors
    /// [`DispatchError::Requires`] with the values of what the first condition that does not hold names.
    pub fn check_requirements(&self, given: Given<'_>) -> Result<(), DispatchError> {
        for requirement in self.proof.requirements() {
            if requirement.holds(self, given) != Some(true) {
                return Err(DispatchError::Requires {
                    kernel: self.label(),
                    condition: requirement.text.to_string(),
                    values: requirement.values(self, given),
                });
            }
        }
        Ok(())
    }

    /// The value of the `u32` param `index` in the bytes of a params struct.
    pub(crate) fn param(&self, index: usize, params: &[u8]) -> Option<u32> {
        let start = self.params.get(index)?.offset as usize;
        let bytes = params.get(start..start.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }
}

impl Requirement {
    /// Whether the condition holds; none where it cannot be computed, as where a divisor is 0.
    fn holds(&self, kernel: &KernelInfo, given: Given<'_>) -> Option<bool> {
        let mut stack: Vec<i128> = Vec::new();
        for code in self.code.iter() {
            let value = match *code {
                Code::Number(value) => value.into(),
                Code::Param(index) => kernel.param(index, given.params)?.into(),
                Code::Override(index) => (*given.overrides.get(index)?).into(),
                Code::Length(index) => (*given.lengths.get(index)?).into(),
                operator => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    operator.apply(a, b)?
                }
            };
            stack.push(value);
        }
        Some(stack.pop()? == 1)
    }

    /// What the condition names, with its values.
    fn values(&self, kernel: &KernelInfo, given: Given<'_>) -> String {
        let shown = |value: Option<String>| value.unwrap_or_default();
        let mut all: Vec<String> = Vec::new();
        for code in self.code.iter() {
            let text = match *code {
                Code::Param(index) => {
                    let name = kernel.params.get(index).map_or("", |param| &param.name);
                    let value = kernel.param(index, given.params);
                    format!("{name} = {}", shown(value.map(|value| value.to_string())))
                }
                Code::Override(index) => {
                    let name = kernel.overrides.get(index).map_or("", |item| &item.name);
                    let value = given.overrides.get(index);
                    format!("{name} = {}", shown(value.map(i64::to_string)))
                }
                Code::Length(index) => {
                    let binding = kernel.bindings.get(index);
                    let name = binding.map_or("", |binding| &binding.name);
                    let value = shown(given.lengths.get(index).map(u64::to_string));
                    let element = binding.map_or("", |binding| &binding.element);
                    format!("`{name}` has {value} elements of {element}")
                }
                _ => continue,
            };
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all.join(", ")
    }
}

impl Code {
    fn apply(self, a: i128, b: i128) -> Option<i128> {
        Some(match self {
            Self::Add => a.checked_add(b)?,
            Self::Sub => a.checked_sub(b)?,
            Self::Mul => a.checked_mul(b)?,
            Self::Div => a.checked_div(b)?,
            Self::Rem => a.checked_rem(b)?,
            Self::DivCeil => a.checked_add(b.checked_sub(1)?)?.checked_div(b)?,
            Self::And => i128::from(a != 0 && b != 0),
            Self::Eq => i128::from(a == b),
            Self::Ne => i128::from(a != b),
            Self::Lt => i128::from(a < b),
            Self::Le => i128::from(a <= b),
            Self::Gt => i128::from(a > b),
            Self::Ge => i128::from(a >= b),
            Self::Number(_) | Self::Param(_) | Self::Override(_) | Self::Length(_) => return None,
        })
    }
}
