//! How often something happens: sums of products of what a launch is told.

use crate::bounds::gcd;

/// A fraction in its lowest terms, above a positive number. What passes 128 bits becomes 0, as do
/// fractions without a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// Above the line.
    pub above: i128,
    /// Below it.
    pub below: i128,
}

impl Ratio {
    const ZERO: Self = Self { above: 0, below: 1 };

    fn new(above: Option<i128>, below: Option<i128>) -> Self {
        match (above, below) {
            (Some(above), Some(below)) if below != 0 => {
                let common = gcd(above.abs(), below.abs()).max(1) * below.signum();
                Self {
                    above: above / common,
                    below: below / common,
                }
            }
            _ => Self::ZERO,
        }
    }

    fn plus(self, other: Self) -> Self {
        if (self.below, other.below) == (1, 1) {
            return self
                .above
                .checked_add(other.above)
                .map_or(Self::ZERO, Self::from);
        }
        let left = self.above.checked_mul(other.below);
        let right = other.above.checked_mul(self.below);
        let above = left
            .zip(right)
            .and_then(|(left, right)| left.checked_add(right));
        Self::new(above, self.below.checked_mul(other.below))
    }

    fn times(self, other: Self) -> Self {
        if (self.below, other.below) == (1, 1) {
            return self
                .above
                .checked_mul(other.above)
                .map_or(Self::ZERO, Self::from);
        }
        Self::new(
            self.above.checked_mul(other.above),
            self.below.checked_mul(other.below),
        )
    }

    fn over(self, other: Self) -> Self {
        Self::new(
            self.above.checked_mul(other.below),
            self.below.checked_mul(other.above),
        )
    }
}

impl From<i128> for Ratio {
    fn from(value: i128) -> Self {
        Self {
            above: value,
            below: 1,
        }
    }
}

/// What an amount depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// Param `.0` of the kernel.
    Param(usize),
    /// The elements of binding `.0`; the 32-bit words of packed weights.
    Length(usize),
    /// Override `.0` of the kernel, in the order of its parameters.
    Override(usize),
    /// Invocations of a subgroup.
    SubgroupSize,
    /// Subgroups of a workgroup.
    NumSubgroups,
}

/// Factors with their powers, in order; a power is never 0.
pub type Factors = Vec<(Symbol, i32)>;

/// Σ coefficient · Π symbolᵖᵒʷᵉʳ, in the order of the factors, without terms of coefficient 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amount(Vec<(Factors, Ratio)>);

impl Amount {
    /// A number.
    pub fn number(value: i128) -> Self {
        Self::term(Vec::new(), value.into())
    }

    /// A symbol.
    pub fn symbol(symbol: Symbol) -> Self {
        Self::term(vec![(symbol, 1)], 1.into())
    }

    fn term(factors: Factors, value: Ratio) -> Self {
        if value == Ratio::ZERO {
            Self::default()
        } else {
            Self(vec![(factors, value)])
        }
    }

    /// Its terms.
    pub fn terms(&self) -> &[(Factors, Ratio)] {
        &self.0
    }

    /// `self + factor · other`
    #[must_use]
    pub fn plus(&self, factor: i128, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.add(factor, other);
        sum
    }

    /// Adds `factor · other`.
    pub(super) fn add(&mut self, factor: i128, other: &Self) {
        for (factors, value) in &other.0 {
            let value = value.times(factor.into());
            match self.0.binary_search_by(|(own, _)| own.cmp(factors)) {
                Ok(at) => {
                    let sum = self.0[at].1.plus(value);
                    if sum == Ratio::ZERO {
                        self.0.remove(at);
                    } else {
                        self.0[at].1 = sum;
                    }
                }
                Err(at) if value != Ratio::ZERO => self.0.insert(at, (factors.clone(), value)),
                Err(_) => {}
            }
        }
    }

    /// `self · other`
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                product.add(1, &Self::term(merged(left, right, 1), a.times(*b)));
            }
        }
        product
    }

    /// `self / other`; none where the divisor has several terms, or is 0.
    pub fn over(&self, other: &Self) -> Option<Self> {
        let [(right, b)] = other.0.as_slice() else {
            return None;
        };
        let mut quotient = Self::default();
        for (left, a) in &self.0 {
            quotient.add(1, &Self::term(merged(left, right, -1), a.over(*b)));
        }
        Some(quotient)
    }

    /// The value where every symbol is `each`: which of two amounts is the larger, roughly.
    pub fn about(&self, each: f64) -> f64 {
        let terms = self.0.iter().map(|(factors, value)| {
            let powers = factors.iter().map(|(_, power)| each.powi(*power));
            value.above as f64 / value.below as f64 * powers.product::<f64>()
        });
        terms.sum()
    }
}

/// The factors of both, those of `right` with their powers times `sign`.
fn merged(left: &Factors, right: &Factors, sign: i32) -> Factors {
    let mut all = left.clone();
    for (symbol, power) in right {
        match all.binary_search_by_key(symbol, |(own, _)| *own) {
            Ok(at) => all[at].1 += sign * power,
            Err(at) => all.insert(at, (*symbol, sign * power)),
        }
    }
    all.retain(|(_, power)| *power != 0);
    all
}

#[cfg(test)]
mod tests {
    use super::{Amount, Symbol};

    #[test]
    fn sums_of_products_are_kept_in_order_and_without_zeros() {
        let (n, k) = (
            Amount::symbol(Symbol::Param(0)),
            Amount::symbol(Symbol::Param(1)),
        );
        let sum = n.plus(2, &k);
        assert_eq!(
            sum,
            k.plus(1, &n.over(&Amount::number(2)).unwrap())
                .times(&Amount::number(2))
        );
        assert_eq!(sum.plus(-1, &sum), Amount::default());
        let product = sum.times(&n);
        assert_eq!(product.over(&n), Some(sum.clone()));
        assert_eq!(n.over(&sum), None);
        assert_eq!(n.over(&k).map(|ratio| ratio.about(7.0)), Some(1.0));
    }
}
