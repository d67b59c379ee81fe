//! Numbers that depend on a kernel's const parameters: sizes of its workgroup and of its memory.

/// A step of a formula, whose terms stand in postfix order.
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

/// The value of a formula for `overrides`; none where a step has no whole, non-negative result.
pub fn value(terms: &[Term], overrides: &[i64]) -> Option<u64> {
    let mut stack: Vec<u64> = Vec::new();
    for term in terms {
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

#[cfg(test)]
mod tests {
    use super::{Term, value};

    #[test]
    fn a_formula_is_computed_from_left_to_right() {
        let terms = [
            Term::Override(0),
            Term::Number(1),
            Term::Sub,
            Term::Override(1),
            Term::Mul,
        ];
        assert_eq!(value(&terms, &[5, 3]), Some(12));
        assert_eq!(value(&terms, &[0, 3]), None, "a size is never negative");
    }

    #[test]
    fn a_division_by_zero_has_no_value() {
        let terms = [Term::Number(4), Term::Override(0), Term::Div];
        assert_eq!(value(&terms, &[2]), Some(2));
        assert_eq!(value(&terms, &[0]), None);
    }
}
