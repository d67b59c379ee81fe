//! Polynomials with integer coefficients over atoms: the values of integer expressions.

/// A value of which nothing is known but its range and facts. Later ones are made of earlier ones.
pub type Atom = u16;

/// Factors of a term at the most.
const MAX_DEGREE: usize = 4;
/// Terms at the most; what has more is no longer followed.
const MAX_TERMS: usize = 24;

/// A product of atoms, the latest first; 1 where there are none. A factor is an atom plus one, so that
/// 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial([u16; MAX_DEGREE]);

impl Monomial {
    pub const ONE: Self = Self([0; MAX_DEGREE]);

    pub fn of(atom: Atom) -> Self {
        Self([atom + 1, 0, 0, 0])
    }

    pub fn atoms(self) -> impl Iterator<Item = Atom> {
        self.0
            .into_iter()
            .take_while(|factor| *factor != 0)
            .map(|factor| factor - 1)
    }

    /// The latest of its atoms.
    pub fn latest(self) -> Option<Atom> {
        self.0[0].checked_sub(1)
    }

    /// The atom, where it is one alone.
    pub fn single(self) -> Option<Atom> {
        if self.0[1] == 0 { self.latest() } else { None }
    }

    /// The product of both; none where it has too many factors.
    fn times(self, other: Self) -> Option<Self> {
        if other == Self::ONE {
            return Some(self);
        }
        let mut product = Self::ONE;
        let (mut left, mut right) = (0, 0);
        for place in &mut product.0 {
            let a = self.0.get(left).copied().unwrap_or(0);
            let b = other.0.get(right).copied().unwrap_or(0);
            if a >= b {
                *place = a;
                left += 1;
            } else {
                *place = b;
                right += 1;
            }
        }
        let all = self.0.get(left).is_none_or(|factor| *factor == 0)
            && other.0.get(right).is_none_or(|factor| *factor == 0);
        all.then_some(product)
    }

    /// `self` without the factors of `part`; none where one of them is missing.
    pub fn without(self, part: Self) -> Option<Self> {
        let mut rest = Self::ONE;
        let (mut at, mut theirs) = (0, 0);
        for factor in self.0 {
            let wanted = part.0.get(theirs).copied().unwrap_or(0);
            if wanted > factor {
                return None;
            }
            if factor == 0 {
                break;
            }
            if wanted == factor {
                theirs += 1;
            } else {
                *rest.0.get_mut(at)? = factor;
                at += 1;
            }
        }
        part.0
            .get(theirs)
            .is_none_or(|factor| *factor == 0)
            .then_some(rest)
    }
}

/// Σ coefficient · monomial, in the order of the monomials, without terms of coefficient 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly(Vec<(Monomial, i128)>);

impl Poly {
    pub fn constant(value: i128) -> Self {
        Self::term(Monomial::ONE, value)
    }

    pub fn atom(atom: Atom) -> Self {
        Self::term(Monomial::of(atom), 1)
    }

    fn term(monomial: Monomial, value: i128) -> Self {
        if value == 0 {
            Self::default()
        } else {
            Self(vec![(monomial, value)])
        }
    }

    pub fn terms(&self) -> &[(Monomial, i128)] {
        &self.0
    }

    /// The coefficient of a monomial.
    pub fn coefficient(&self, monomial: Monomial) -> i128 {
        let found = self.0.iter().find(|(own, _)| *own == monomial);
        found.map_or(0, |(_, value)| *value)
    }

    /// The value, where it is the same for all atoms.
    pub fn as_constant(&self) -> Option<i128> {
        match self.0.as_slice() {
            [] => Some(0),
            [(Monomial::ONE, value)] => Some(*value),
            _ => None,
        }
    }

    /// The atom, where the value is one.
    pub fn as_atom(&self) -> Option<Atom> {
        match self.0.as_slice() {
            [(monomial, 1)] => monomial.single(),
            _ => None,
        }
    }

    /// `self + factor · other`; none where a coefficient passes 128 bits, or there are too many
    /// terms.
    pub fn plus(&self, factor: i128, other: &Self) -> Option<Self> {
        self.plus_shifted(factor, Monomial::ONE, other)
    }

    /// `self + value`
    pub fn offset(&self, value: i128) -> Option<Self> {
        self.plus(1, &Self::constant(value))
    }

    /// `factor · self`
    pub fn scaled(&self, factor: i128) -> Option<Self> {
        Self::default().plus(factor, self)
    }

    /// `self + factor · monomial · other`
    pub fn plus_shifted(&self, factor: i128, monomial: Monomial, other: &Self) -> Option<Self> {
        let mut sum = Vec::with_capacity(self.0.len() + other.0.len());
        let mut own = self.0.as_slice();
        // Monomials keep their order when all are multiplied by one.
        for (theirs, value) in &other.0 {
            let (theirs, value) = (theirs.times(monomial)?, value.checked_mul(factor)?);
            while let [(first, value), rest @ ..] = own
                && *first < theirs
            {
                sum.push((*first, *value));
                own = rest;
            }
            let value = match own {
                [(first, before), rest @ ..] if *first == theirs => {
                    own = rest;
                    before.checked_add(value)?
                }
                _ => value,
            };
            if value != 0 {
                sum.push((theirs, value));
            }
        }
        sum.extend_from_slice(own);
        (sum.len() <= MAX_TERMS).then_some(Self(sum))
    }

    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (monomial, value) in &other.0 {
            product = product.plus_shifted(*value, *monomial, self)?;
        }
        Some(product)
    }

    /// `self` as `divisor · whole + rest`, where only those terms are in `rest` that `divisor` does
    /// not divide.
    pub fn split(&self, divisor: i128) -> (Self, Self) {
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        for (monomial, value) in &self.0 {
            let (quotient, left) = if *monomial == Monomial::ONE {
                (value.div_euclid(divisor), value.rem_euclid(divisor))
            } else if value % divisor == 0 {
                (value / divisor, 0)
            } else {
                (0, *value)
            };
            if quotient != 0 {
                whole.push((*monomial, quotient));
            }
            if left != 0 {
                rest.push((*monomial, left));
            }
        }
        (Self(whole), Self(rest))
    }

    /// The greatest number that divides the coefficients of all atoms; 0 where there are none.
    pub fn content(&self) -> i128 {
        let mut divisor = 0;
        for (monomial, value) in &self.0 {
            if *monomial != Monomial::ONE {
                divisor = gcd(divisor, value.abs());
                if divisor == 1 {
                    break;
                }
            }
        }
        divisor
    }

    /// The polynomial that is at least 0 for the same integers, with the smallest coefficients.
    pub fn tightened(self) -> Self {
        match self.content() {
            0 | 1 => self,
            divisor => self.split(divisor).0,
        }
    }

    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.0.iter().flat_map(|(monomial, _)| monomial.atoms())
    }
}

pub fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
