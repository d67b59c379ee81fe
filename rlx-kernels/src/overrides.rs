//! Const parameters of a kernel that are set when its pipeline is made: WGSL's `override`s.

use std::borrow::Cow;

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

/// A step of a [`Formula`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A number.
    Number(u32),
    /// The value of the override of that index.
    Override(usize),
    /// The sum of the two numbers before it.
    Add,
    /// Their difference.
    Sub,
    /// Their product.
    Mul,
    /// Their quotient.
    Div,
    /// The remainder of the first by the second.
    Rem,
}

impl Formula {
    /// The number for `overrides`; none where a step has no whole, non-negative result.
    pub fn value(&self, overrides: &[i64]) -> Option<u64> {
        let mut stack: Vec<u64> = Vec::new();
        for term in self.0.iter() {
            let next = match term {
                Term::Number(value) => u64::from(*value),
                Term::Override(index) => u64::try_from(*overrides.get(*index)?).ok()?,
                operation => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    match operation {
                        Term::Add => a.checked_add(b)?,
                        Term::Sub => a.checked_sub(b)?,
                        Term::Mul => a.checked_mul(b)?,
                        Term::Div => a.checked_div(b)?,
                        _ => a.checked_rem(b)?,
                    }
                }
            };
            stack.push(next);
        }
        stack.pop()
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{Formula, Term};

    fn formula(terms: &'static [Term]) -> Formula {
        Formula(Cow::Borrowed(terms))
    }

    #[test]
    fn a_formula_is_computed_from_left_to_right() {
        let terms = formula(&[
            Term::Override(0),
            Term::Number(1),
            Term::Sub,
            Term::Override(1),
            Term::Mul,
        ]);
        assert_eq!(terms.value(&[5, 3]), Some(12));
        assert_eq!(terms.value(&[0, 3]), None, "a size is never negative");
    }

    #[test]
    fn a_division_by_zero_has_no_value() {
        let terms = formula(&[Term::Number(4), Term::Override(0), Term::Div]);
        assert_eq!(terms.value(&[2]), Some(2));
        assert_eq!(terms.value(&[0]), None);
    }
}
