//! Integer arithmetic.

use super::Walker;
use super::poly::{Monomial, Poly, gcd};
use super::value::{Condition, Value};
use crate::expr::BinaryOp;
use crate::types::{Scalar, Type};

impl Walker<'_> {
    /// `value` where it fits the type; else any value of the type, as of an operation that
    /// wraps.
    pub(super) fn fitted(
        &mut self,
        value: Option<Poly>,
        (may_pass, may_sink): (bool, bool),
        ty: &Type,
    ) -> Poly {
        if let (Some(value), Some(range)) = (value, ty.scalar().and_then(Scalar::range)) {
            let low = Poly::constant(*range.start());
            let fits = (!may_pass || self.at_most(&value, *range.end()))
                && (!may_sink || value.plus(-1, &low).is_some_and(|d| self.is_positive(&d)));
            if fits {
                return value;
            }
        }
        let any = self.any(ty);
        for atom in any.atoms() {
            self.wraps.insert(atom);
        }
        any
    }

    /// `a op b` of integers of type `ty`.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, a: &Poly, b: &Poly, ty: &Type) -> Poly {
        let unsigned = ty.scalar().is_some_and(Scalar::is_unsigned);
        match op {
            BinaryOp::Add => self.fitted(a.plus(1, b), (true, !unsigned), ty),
            BinaryOp::Sub => self.fitted(a.plus(-1, b), (!unsigned, true), ty),
            BinaryOp::Mul => self.fitted(a.times(b), (true, !unsigned), ty),
            BinaryOp::Shl => {
                let factor = b.as_constant().filter(|by| (0..32).contains(by));
                match factor {
                    Some(by) => {
                        let product = Poly::default().plus(1 << by, a);
                        self.fitted(product, (true, !unsigned), ty)
                    }
                    None => self.any(ty),
                }
            }
            BinaryOp::Div if self.is_positive(a) => self.quotient(a, b),
            BinaryOp::Rem if self.is_positive(a) => self.remainder(a, b),
            BinaryOp::Shr if self.is_positive(a) => {
                match b.as_constant().filter(|by| (0..32).contains(by)) {
                    Some(by) => self.quotient(a, &Poly::constant(1 << by)),
                    None => self.below(&[a]),
                }
            }
            BinaryOp::BitAnd if unsigned => {
                for (mask, other) in [(a, b), (b, a)] {
                    if let Some(mask) = mask.as_constant()
                        && mask.checked_add(1).is_some_and(|next| next & mask == 0)
                    {
                        return self.remainder(other, &Poly::constant(mask + 1));
                    }
                }
                self.below(&[a, b])
            }
            BinaryOp::BitOr | BinaryOp::BitXor if unsigned => {
                let bits = |poly: &Poly| {
                    self.facts
                        .most(poly)
                        .filter(|most| (0..1 << 64).contains(most))
                        .map_or(64, |most| 128 - most.leading_zeros())
                };
                let all = (1_i128 << bits(a).max(bits(b))) - 1;
                let range = ty.scalar().and_then(Scalar::range);
                let most = range.map_or(all, |range| all.min(*range.end()));
                let value = self.fresh(most);
                let sum = a.plus(1, b);
                let fact = sum.and_then(|sum| sum.plus(-1, &value));
                self.facts.add(fact);
                value
            }
            _ => self.any(ty),
        }
    }

    /// A value that is at most each of `bounds`, all of them at least 0.
    pub(super) fn below(&mut self, bounds: &[&Poly]) -> Poly {
        let most = bounds.iter().filter_map(|bound| self.facts.most(bound));
        let most = most.min().unwrap_or(i128::MAX >> 1).max(0);
        let value = self.fresh(most);
        for bound in bounds {
            self.facts.add(bound.plus(-1, &value));
        }
        value
    }

    /// ⌊a / b⌋ of `a` ≥ 0; WGSL gives `a` where `b` is 0.
    pub(super) fn quotient(&mut self, a: &Poly, b: &Poly) -> Poly {
        if let Some(divisor) = b.as_constant() {
            return match divisor {
                0 | 1 => a.clone(),
                2.. => self.quotient_by(a, divisor).0,
                _ => self.any(&Type::Scalar(Scalar::I64)),
            };
        }
        if self.less(b).is_none() {
            return if self.is_positive(b) {
                self.below(&[a])
            } else {
                self.any(&Type::Scalar(Scalar::I64))
            };
        }
        self.division(a, b).0
    }

    /// a mod b of `a` ≥ 0; WGSL gives 0 where `b` is 0.
    fn remainder(&mut self, a: &Poly, b: &Poly) -> Poly {
        if let Some(divisor) = b.as_constant() {
            return match divisor {
                1 => Poly::default(),
                2.. => self.quotient_by(a, divisor).1,
                _ => self.below(&[a]),
            };
        }
        if self.less(b).is_none() {
            return self.below(&[a]);
        }
        self.division(a, b).1
    }

    /// ⌊a / divisor⌋ and a mod divisor, of `a` ≥ 0 and a constant of at least 2.
    fn quotient_by(&mut self, a: &Poly, divisor: i128) -> (Poly, Poly) {
        let (whole, rest) = a.split(divisor);
        let is_rest = self.facts.least(&rest).is_some_and(|least| least >= 0)
            && self.facts.most(&rest).is_some_and(|most| most < divisor);
        if is_rest {
            (whole, rest)
        } else {
            self.division(a, &Poly::constant(divisor))
        }
    }

    /// ⌊a / b⌋ and a mod b, each of an atom of its own, of `a` ≥ 0 and `b` ≥ 1.
    fn division(&mut self, a: &Poly, b: &Poly) -> (Poly, Poly) {
        let known = self
            .divisions
            .iter()
            .find(|((dividend, divisor), _)| (dividend, divisor) == (a, b));
        if let Some((_, found)) = known {
            return found.clone();
        }
        let divisor = b.as_constant().filter(|divisor| *divisor > 0);
        let most = self.facts.most(a).unwrap_or(i128::MAX >> 1).max(0);
        let quotient = self.fresh(divisor.map_or(most, |divisor| most / divisor));
        // What divides both divides the rest.
        let common = divisor.map_or(1, |divisor| {
            let constant = a.coefficient(Monomial::ONE).abs();
            gcd(gcd(a.content(), constant), divisor).max(1)
        });
        let last = divisor.map_or(most, |divisor| most.min(divisor - 1));
        let part = self.fresh(last / common);
        let rest = part.scaled(common).unwrap_or_default();
        if let Some(product) = b.times(&quotient) {
            let left = a.plus(-1, &product).and_then(|left| left.plus(-1, &rest));
            self.facts.add(left.clone());
            self.facts.add(left.and_then(|left| left.scaled(-1)));
        }
        match (quotient.as_atom(), divisor) {
            (Some(atom), Some(divisor)) => self.facts.define(atom, a.clone(), divisor),
            _ => self
                .facts
                .add(b.plus(-1, &rest).and_then(|over| over.offset(-1))),
        }
        let found = (quotient, rest);
        self.divisions.push(((a.clone(), b.clone()), found.clone()));
        found
    }

    /// b - 1, where `b` is known to be at least 1.
    pub(super) fn less(&mut self, b: &Poly) -> Option<Poly> {
        b.offset(-1).filter(|less| self.is_positive(less))
    }

    /// ⌈a / b⌉ of `a` ≥ 0.
    pub(super) fn quotient_up(&mut self, a: &Poly, b: &Poly, ty: &Type) -> Poly {
        let Some(less) = self.less(b) else {
            return self.any(ty);
        };
        match a.plus(1, &less) {
            Some(sum) => self.quotient(&sum, b),
            None => self.any(ty),
        }
    }

    /// `a op b` as a condition.
    pub(super) fn comparison(&self, op: BinaryOp, a: &Poly, b: &Poly) -> Value {
        // a ≥ b + by
        let least = |a: &Poly, b: &Poly, by: i128| {
            let difference = a.plus(-1, b);
            difference.and_then(|difference| difference.offset(-by))
        };
        let list = |polys: &[Option<Poly>]| polys.iter().flatten().cloned().collect();
        let (yes, no) = match op {
            BinaryOp::Lt => (least(b, a, 1), least(a, b, 0)),
            BinaryOp::Le => (least(b, a, 0), least(a, b, 1)),
            BinaryOp::Gt => (least(a, b, 1), least(b, a, 0)),
            BinaryOp::Ge => (least(a, b, 0), least(b, a, 1)),
            BinaryOp::Eq | BinaryOp::Ne => {
                let same = list(&[least(a, b, 0), least(b, a, 0)]);
                // Of what is at least 0 and not 0, something is left.
                let zero = |x: &Poly, y: &Poly| {
                    let above = x.plus(-1, y)?;
                    let least = self.facts.least(&above)?;
                    (least >= 0).then(|| above.offset(-1)).flatten()
                };
                let other = list(&[zero(a, b).or_else(|| zero(b, a))]);
                let condition = Condition {
                    yes: same,
                    no: other,
                };
                return Value::Bool(if op == BinaryOp::Eq {
                    condition
                } else {
                    condition.negated()
                });
            }
            _ => return Value::Unknown,
        };
        Value::Bool(Condition {
            yes: list(&[yes]),
            no: list(&[no]),
        })
    }
}
