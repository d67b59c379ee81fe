//! A value in each of 32 consecutive invocations, as a polynomial of what is the same for all.
//!
//! `row * k + local_index() % 16` is `k · row + (0, 1, .. 15, 0, 1, ..)`: sums of products of
//! symbols, unknown and uniform, with a number a lane in front. So two lanes can be subtracted from
//! one another exactly, whatever the params are.

use std::collections::BTreeMap;

/// Consecutive invocations that are looked at together: the least number that reads memory in one
/// go on most devices.
pub(super) const LANES: usize = 32;

/// Products in a polynomial at the most.
const MAX_TERMS: usize = 24;

/// A number a lane.
pub(super) type Row = [i64; LANES];

/// Something unknown that is the same for all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Symbol(pub u32);

/// What one lane has more than another: products of symbols with their numbers.
pub(super) type Step = BTreeMap<Vec<Symbol>, i64>;

/// The sum of the products of symbols, each with its number a lane; the empty product is 1.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Lanes {
    terms: BTreeMap<Vec<Symbol>, Row>,
}

impl Lanes {
    /// The same number in each lane.
    pub fn number(value: i64) -> Self {
        Self::row([value; LANES])
    }

    /// A known number a lane.
    pub fn row(row: Row) -> Self {
        let mut lanes = Self::default();
        lanes.put(Vec::new(), row);
        lanes
    }

    /// A symbol.
    pub fn symbol(symbol: Symbol) -> Self {
        let mut lanes = Self::default();
        lanes.put(vec![symbol], [1; LANES]);
        lanes
    }

    fn put(&mut self, symbols: Vec<Symbol>, row: Row) {
        if row == [0; LANES] {
            self.terms.remove(&symbols);
        } else {
            self.terms.insert(symbols, row);
        }
    }

    /// Whether all lanes have the same.
    pub fn is_uniform(&self) -> bool {
        self.terms
            .values()
            .all(|row| row.iter().all(|value| *value == row[0]))
    }

    /// The numbers, where no symbol is in it.
    pub fn known(&self) -> Option<Row> {
        match self.terms.len() {
            0 => Some([0; LANES]),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The number that all lanes have, where it is known.
    pub fn constant(&self) -> Option<i64> {
        let row = self.known()?;
        row.iter().all(|value| *value == row[0]).then_some(row[0])
    }

    /// `self + other · by`
    pub fn plus(&self, other: &Self, by: i64) -> Option<Self> {
        let mut sum = self.clone();
        for (symbols, row) in &other.terms {
            let mut total = sum.terms.get(symbols).copied().unwrap_or([0; LANES]);
            for (total, value) in total.iter_mut().zip(row) {
                *total = total.checked_add(value.checked_mul(by)?)?;
            }
            sum.put(symbols.clone(), total);
        }
        (sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    /// `self · other`
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (a, left) in &self.terms {
            for (b, right) in &other.terms {
                let mut symbols = [a.as_slice(), b.as_slice()].concat();
                symbols.sort_unstable();
                let mut row = [0; LANES];
                for (value, (left, right)) in row.iter_mut().zip(left.iter().zip(right)) {
                    *value = left.checked_mul(*right)?;
                }
                let mut term = Self::default();
                term.put(symbols, row);
                product = product.plus(&term, 1)?;
            }
        }
        Some(product)
    }

    /// Quotient and remainder by a number, where every symbol has a multiple of it.
    pub fn divided(&self, by: i64) -> Option<(Self, Self)> {
        if by < 1 {
            return None;
        }
        let (mut quotient, mut remainder) = (Self::default(), Self::default());
        for (symbols, row) in &self.terms {
            if symbols.is_empty() {
                remainder.put(Vec::new(), row.map(|value| value.rem_euclid(by)));
            } else if row.iter().any(|value| value % by != 0) {
                return None;
            }
            quotient.put(symbols.clone(), row.map(|value| value.div_euclid(by)));
        }
        Some((quotient, remainder))
    }

    /// What lane `to` has more than lane `from`.
    pub fn step(&self, from: usize, to: usize) -> Step {
        let steps = self.terms.iter().filter_map(|(symbols, row)| {
            let step = row.get(to)?.checked_sub(*row.get(from)?)?;
            (step != 0).then(|| (symbols.clone(), step))
        });
        steps.collect()
    }

    /// The number before `symbol` alone, and the rest; `None` where lanes differ in it, or it is in
    /// other products.
    pub fn without(&self, symbol: Symbol) -> Option<(i64, Self)> {
        let mut rest = self.clone();
        let row = rest.terms.remove(&vec![symbol])?;
        let elsewhere = rest.terms.keys().any(|symbols| symbols.contains(&symbol));
        let same = row.iter().all(|value| *value == row[0]);
        (same && !elsewhere).then_some((row[0], rest))
    }

    /// It without the number that lane 0 adds to its symbols, and that number.
    pub fn split(&self) -> Option<(Self, i64)> {
        let base = self.terms.get(&Vec::new()).map_or(0, |row| row[0]);
        Some((self.plus(&Self::number(base), -1)?, base))
    }

    /// Every symbol in it.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.terms.keys().flatten().copied()
    }

    /// Lane by lane, where both are known.
    pub fn zip(&self, other: &Self, of: impl Fn(i64, i64) -> Option<i64>) -> Option<Self> {
        let (a, b) = (self.known()?, other.known()?);
        let mut row = [0; LANES];
        for (value, (a, b)) in row.iter_mut().zip(a.iter().zip(&b)) {
            *value = of(*a, *b)?;
        }
        Some(Self::row(row))
    }
}

/// The step from one of the `active` lanes to the next, as most pairs of them have it.
pub(super) fn stride(value: &Lanes, active: u32) -> Option<Step> {
    let both = |lane: &usize| active >> lane & 3 == 3;
    let pairs: Vec<usize> = (0..LANES - 1).filter(both).collect();
    let mut counts: BTreeMap<Step, usize> = BTreeMap::new();
    for lane in &pairs {
        *counts.entry(value.step(*lane, lane + 1)).or_default() += 1;
    }
    let (step, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (2 * count >= pairs.len()).then_some(step)
}

/// A step without symbols.
pub(super) fn constant(step: &Step) -> Option<i64> {
    match step.len() {
        0 => Some(0),
        1 => step.get(&Vec::new()).copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{LANES, Lanes, Symbol};

    fn me() -> Lanes {
        Lanes::row(std::array::from_fn(|lane| lane as i64))
    }

    #[test]
    fn multiples_of_the_divisor_leave_the_quotient_exact() {
        let group = Lanes::symbol(Symbol(0));
        let index = group
            .times(&Lanes::number(64))
            .unwrap()
            .plus(&me(), 1)
            .unwrap();
        let (row, column) = index.divided(16).unwrap();
        assert_eq!(column.known().unwrap()[17], 1);
        assert_eq!(row.step(0, 16).get(&vec![]), Some(&1));
        assert!(row.step(0, 15).is_empty());
        assert!(index.divided(48).is_none());
    }

    #[test]
    fn a_lane_may_differ_by_a_symbol() {
        let k = Lanes::symbol(Symbol(1));
        let index = me().times(&k).unwrap();
        assert_eq!(index.step(3, 4).get(&vec![Symbol(1)]), Some(&1));
        assert!(!index.is_uniform());
        assert!(index.plus(&index, -1).unwrap().is_uniform());
    }

    #[test]
    fn a_product_that_no_number_holds_is_unknown() {
        let large = Lanes::row([i64::MAX; LANES]);
        assert!(large.times(&Lanes::number(2)).is_none());
    }
}
