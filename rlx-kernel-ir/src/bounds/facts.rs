//! What is known of atoms.

use std::cell::RefCell;

use super::poly::{Atom, Monomial, Poly};

/// The range of each atom, and polynomials that are at least 0, on the way to one point of a kernel.
#[derive(Debug, Default)]
pub struct Facts {
    known: Vec<Poly>,
    ranges: Vec<(i128, i128)>,
    /// Ranges as they were, to go back to.
    narrowed: Vec<(Atom, (i128, i128))>,
    /// Atoms that are quotients of a polynomial by a number.
    quotients: Vec<(Atom, Poly, i128)>,
    /// Whether what is known cannot be: control does not come here.
    contradiction: bool,
    /// Which facts these are: what has one number is the same.
    version: u32,
    /// The last of all versions.
    versions: u32,
    /// Goals that took steps, with what was known then, and whether they were proved: a value is often
    /// asked about where it is kept and again where it is used.
    pub(super) asked: RefCell<Vec<(u32, Poly, bool)>>,
}

/// A point to go back to.
#[derive(Clone, Copy)]
pub struct Mark {
    known: usize,
    narrowed: usize,
    contradiction: bool,
    version: u32,
}

impl Facts {
    /// A new atom from 0 to `max`; none where there are too many.
    pub fn fresh(&mut self, max: i128) -> Option<Atom> {
        let atom = Atom::try_from(self.ranges.len()).ok()?;
        if atom >= Atom::MAX - 1 {
            return None;
        }
        self.ranges.push((0, max.max(0)));
        Some(atom)
    }

    pub fn mark(&self) -> Mark {
        Mark {
            known: self.known.len(),
            narrowed: self.narrowed.len(),
            contradiction: self.contradiction,
            version: self.version,
        }
    }

    /// Forgets what was added since `mark`. Atoms that were made since are kept, and with them their
    /// first ranges.
    pub fn rollback(&mut self, mark: Mark) {
        self.known.truncate(mark.known);
        while self.narrowed.len() > mark.narrowed {
            if let Some((atom, range)) = self.narrowed.pop() {
                self.ranges[usize::from(atom)] = range;
            }
        }
        self.contradiction = mark.contradiction;
        self.version = mark.version;
    }

    /// Which facts these are.
    pub fn version(&self) -> u32 {
        self.version
    }

    pub fn is_contradiction(&self) -> bool {
        self.contradiction
    }

    pub fn known(&self) -> &[Poly] {
        &self.known
    }

    /// That `atom` is ⌊`dividend` / `divisor`⌋.
    pub fn define(&mut self, atom: Atom, dividend: Poly, divisor: i128) {
        self.quotients.push((atom, dividend, divisor));
    }

    /// What `atom` is the quotient of.
    pub fn quotient(&self, atom: Atom) -> Option<(&Poly, i128)> {
        let found = self.quotients.iter().rev().find(|(own, ..)| *own == atom);
        found.map(|(_, dividend, divisor)| (dividend, *divisor))
    }

    pub fn range(&self, atom: Atom) -> (i128, i128) {
        let known = self.ranges.get(usize::from(atom)).copied();
        known.unwrap_or((0, i128::MAX))
    }

    fn product(&self, monomial: Monomial) -> Option<(i128, i128)> {
        let Some((atom, mut rest)) = monomial.split_first() else {
            return Some((1, 1));
        };
        let (mut low, mut high) = self.range(atom);
        while let Some((atom, others)) = rest.split_first() {
            let (least, most) = self.range(atom);
            low = low.checked_mul(least)?;
            high = high.checked_mul(most)?;
            rest = others;
        }
        Some((low, high))
    }

    /// Bounds of a term.
    fn term(&self, monomial: Monomial, value: i128) -> Option<(i128, i128)> {
        let (low, high) = self.product(monomial)?;
        Some(if value > 0 {
            (low.checked_mul(value)?, high.checked_mul(value)?)
        } else {
            (high.checked_mul(value)?, low.checked_mul(value)?)
        })
    }

    /// The range of a polynomial, from those of its atoms; none where a bound passes 128 bits.
    pub fn bounds(&self, poly: &Poly) -> Option<(i128, i128)> {
        let (mut low, mut high) = (0_i128, 0_i128);
        for (monomial, value) in poly.terms() {
            let (least, most) = self.term(*monomial, *value)?;
            low = low.checked_add(least)?;
            high = high.checked_add(most)?;
        }
        Some((low, high))
    }

    /// A lower bound, from the ranges of the atoms.
    pub fn least(&self, poly: &Poly) -> Option<i128> {
        self.bounds(poly).map(|(low, _)| low)
    }

    /// An upper bound, from the ranges of the atoms.
    pub fn most(&self, poly: &Poly) -> Option<i128> {
        self.bounds(poly).map(|(_, high)| high)
    }

    /// Adds that `poly` is at least 0.
    pub fn add(&mut self, poly: Option<Poly>) {
        let Some(poly) = poly.map(Poly::tightened) else {
            return;
        };
        if poly.as_constant().is_some_and(|value| value < 0) {
            self.contradiction = true;
            return;
        }
        if self.least(&poly).is_some_and(|least| least >= 0) || self.known.contains(&poly) {
            return;
        }
        self.versions += 1;
        self.version = self.versions;
        let is_new_floor = self.narrow(&poly);
        self.known.push(poly);
        if is_new_floor {
            // A factor that is not 0 bounds the other factors of its products.
            for index in 0..self.known.len() {
                let fact = std::mem::take(&mut self.known[index]);
                self.narrow(&fact);
                self.known[index] = fact;
            }
        }
    }

    /// Narrows the ranges of the atoms of a fact; whether one is known not to be 0 that was not before.
    fn narrow(&mut self, fact: &Poly) -> bool {
        let mut is_new_floor = false;
        let Some(most) = self.most(fact) else {
            return false;
        };
        for (monomial, value) in fact.terms() {
            if *monomial == Monomial::ONE {
                continue;
            }
            // value · monomial + rest ≥ 0
            let own = self.term(*monomial, *value);
            let Some(rest) = own.and_then(|(_, own)| most.checked_sub(own)) else {
                continue;
            };
            if *value > 0 {
                if let Some(atom) = monomial.single() {
                    let floor = (-rest).div_euclid(*value) + i128::from(-rest % value != 0);
                    let (low, high) = self.range(atom);
                    if floor > low {
                        is_new_floor |= low == 0;
                        self.set(atom, (floor, high));
                    }
                }
                continue;
            }
            let mut left = *monomial;
            while let Some((atom, later)) = left.split_first() {
                left = later;
                let others = monomial
                    .without(Monomial::of(atom))
                    .and_then(|others| self.product(others));
                let Some((least, _)) = others.filter(|(least, _)| *least >= 1) else {
                    continue;
                };
                let Some(divisor) = least.checked_mul(-value) else {
                    continue;
                };
                let ceiling = rest.div_euclid(divisor);
                let (low, high) = self.range(atom);
                if ceiling < high {
                    self.set(atom, (low, ceiling));
                }
            }
        }
        is_new_floor
    }

    fn set(&mut self, atom: Atom, range: (i128, i128)) {
        let before = self.range(atom);
        self.narrowed.push((atom, before));
        self.ranges[usize::from(atom)] = range;
        if range.0 > range.1 {
            self.contradiction = true;
        }
    }
}
