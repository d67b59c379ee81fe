//! Polynomials with integer coefficients over atoms: the values of integer expressions.

/// A value of which nothing is known but its range and facts. Later ones are made of earlier ones.
pub type Atom = u16;

/// Terms at the most; what has more is no longer followed.
const MAX_TERMS: usize = 24;
/// Factors of a term at the most.
const MAX_DEGREE: usize = 4;
/// Bits of a factor.
const FACTOR: u32 = 16;
/// Where the first factor lies.
const FIRST: u32 = u64::BITS - FACTOR;

/// A product of atoms, the latest first; 1 where there are none. A factor is an atom plus one, so that
/// 0 is none; four factors in one number, whose order is that of monomials. (The compiler of a kernel
/// is seldom compiled with optimisation.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial(u64);

impl Monomial {
    pub const ONE: Self = Self(0);

    pub fn of(atom: Atom) -> Self {
        Self((u64::from(atom) + 1) << FIRST)
    }

    /// The latest of its atoms, and the others.
    pub fn split_first(self) -> Option<(Atom, Self)> {
        if self.0 == 0 {
            return None;
        }
        Some(((self.0 >> FIRST) as Atom - 1, Self(self.0 << FACTOR)))
    }

    /// The latest of its atoms.
    pub fn latest(self) -> Option<Atom> {
        self.split_first().map(|(atom, _)| atom)
    }

    /// The atom, where it is one alone.
    pub fn single(self) -> Option<Atom> {
        match self.split_first() {
            Some((atom, Self(0))) => Some(atom),
            _ => None,
        }
    }

    /// The product of both; none where it has too many factors.
    fn times(self, other: Self) -> Option<Self> {
        if other.0 == 0 {
            return Some(self);
        }
        let (mut left, mut right, mut product) = (self.0, other.0, 0);
        let mut place = 0;
        while place < MAX_DEGREE {
            let (a, b) = (left >> FIRST, right >> FIRST);
            product <<= FACTOR;
            if a >= b {
                product |= a;
                left <<= FACTOR;
            } else {
                product |= b;
                right <<= FACTOR;
            }
            place += 1;
        }
        if left == 0 && right == 0 {
            Some(Self(product))
        } else {
            None
        }
    }

    /// `self` without the factors of `part`; none where one of them is missing.
    pub fn without(self, part: Self) -> Option<Self> {
        let (mut all, mut theirs, mut rest) = (self.0, part.0, 0);
        let mut shift = FIRST;
        while all != 0 {
            let (own, wanted) = (all >> FIRST, theirs >> FIRST);
            if wanted > own {
                return None;
            }
            if wanted == own {
                theirs <<= FACTOR;
            } else {
                rest |= own << shift;
                shift -= FACTOR.min(shift);
            }
            all <<= FACTOR;
        }
        if theirs == 0 { Some(Self(rest)) } else { None }
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

    /// The constant term, and the others.
    pub fn parts(&self) -> (i128, &[(Monomial, i128)]) {
        match self.0.as_slice() {
            [(Monomial::ONE, constant), rest @ ..] => (*constant, rest),
            all => (0, all),
        }
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

    pub fn atoms(&self) -> Vec<Atom> {
        let mut atoms = Vec::new();
        for (monomial, _) in &self.0 {
            let mut rest = *monomial;
            while let Some((atom, others)) = rest.split_first() {
                atoms.push(atom);
                rest = others;
            }
        }
        atoms
    }
}

pub fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
