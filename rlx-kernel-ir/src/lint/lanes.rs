//! A value in each of 32 consecutive invocations, as a polynomial of what is the same for all.
//!
//! `row * k + local_index() % 16` is `k · row + (0, 1, .. 15, 0, 1, ..)`: sums of products of
//! symbols, unknown and uniform, with a number a lane in front. So two lanes can be subtracted from
//! one another exactly, whatever the params are.

use std::collections::BTreeMap;
use std::rc::Rc;

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

/// The number that each lane has of a product. Most are the same for all, and cost no row.
#[derive(Clone, Debug)]
enum Share {
    Same(i64),
    Each(Rc<Row>),
}

impl Share {
    fn new(row: Row) -> Self {
        if row == [row[0]; LANES] {
            Self::Same(row[0])
        } else {
            Self::Each(Rc::new(row))
        }
    }

    fn row(&self) -> Row {
        match self {
            Self::Same(value) => [*value; LANES],
            Self::Each(row) => **row,
        }
    }

    fn first(&self) -> i64 {
        match self {
            Self::Same(value) => *value,
            Self::Each(row) => row[0],
        }
    }

    fn map(&self, of: impl Fn(i64) -> Option<i64>) -> Option<Self> {
        self.zip(self, |value, _| of(value))
    }

    fn zip(&self, other: &Self, of: impl Fn(i64, i64) -> Option<i64>) -> Option<Self> {
        if let (Self::Same(a), Self::Same(b)) = (self, other) {
            return Some(Self::Same(of(*a, *b)?));
        }
        let (a, b) = (self.row(), other.row());
        let mut row = [0; LANES];
        for (value, (a, b)) in row.iter_mut().zip(a.iter().zip(&b)) {
            *value = of(*a, *b)?;
        }
        Some(Self::new(row))
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Same(a), Self::Same(b)) => a == b,
            (Self::Each(a), Self::Each(b)) => Rc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Eq for Share {}

/// The sum of the products of symbols, each with its number a lane; the empty product is 1.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Lanes {
    /// By product, in order. Variables are copied at every branch, so they share it.
    terms: Rc<Vec<(Vec<Symbol>, Share)>>,
}

impl Lanes {
    /// The same number in each lane.
    pub fn number(value: i64) -> Self {
        Self::of(Vec::new(), Share::Same(value))
    }

    /// A known number a lane.
    pub fn row(row: Row) -> Self {
        Self::of(Vec::new(), Share::new(row))
    }

    /// A symbol.
    pub fn symbol(symbol: Symbol) -> Self {
        Self::of(vec![symbol], Share::Same(1))
    }

    fn of(symbols: Vec<Symbol>, share: Share) -> Self {
        let mut lanes = Self::default();
        lanes.put(symbols, share);
        lanes
    }

    fn find(&self, symbols: &[Symbol]) -> Result<usize, usize> {
        self.terms
            .binary_search_by(|(known, _)| known.as_slice().cmp(symbols))
    }

    fn get(&self, symbols: &[Symbol]) -> Option<&Share> {
        let at = self.find(symbols).ok()?;
        self.terms.get(at).map(|(_, share)| share)
    }

    fn put(&mut self, symbols: Vec<Symbol>, share: Share) {
        let place = self.find(&symbols);
        let terms = Rc::make_mut(&mut self.terms);
        match (place, share) {
            (Ok(at), Share::Same(0)) => drop(terms.remove(at)),
            (Err(_), Share::Same(0)) => {}
            (Ok(at), share) => terms[at].1 = share,
            (Err(at), share) => terms.insert(at, (symbols, share)),
        }
    }

    /// Whether all lanes have the same.
    pub fn is_uniform(&self) -> bool {
        let mut shares = self.terms.iter();
        shares.all(|(_, share)| matches!(share, Share::Same(_)))
    }

    fn known_share(&self) -> Option<Share> {
        match self.terms.as_slice() {
            [] => Some(Share::Same(0)),
            [(symbols, share)] if symbols.is_empty() => Some(share.clone()),
            _ => None,
        }
    }

    /// The numbers, where no symbol is in it.
    pub fn known(&self) -> Option<Row> {
        self.known_share().map(|share| share.row())
    }

    /// The number that all lanes have, where it is known.
    pub fn constant(&self) -> Option<i64> {
        match self.known_share()? {
            Share::Same(value) => Some(value),
            Share::Each(_) => None,
        }
    }

    /// `self + other · by`
    pub fn plus(&self, other: &Self, by: i64) -> Option<Self> {
        let mut sum = self.clone();
        for (symbols, share) in other.terms.iter() {
            let total = match sum.get(symbols) {
                Some(total) => total.zip(share, |total, value| {
                    total.checked_add(value.checked_mul(by)?)
                })?,
                None => share.map(|value| value.checked_mul(by))?,
            };
            sum.put(symbols.clone(), total);
        }
        (sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    /// `self · other`
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (a, left) in self.terms.iter() {
            for (b, right) in other.terms.iter() {
                let mut symbols = [a.as_slice(), b.as_slice()].concat();
                symbols.sort_unstable();
                let share = left.zip(right, i64::checked_mul)?;
                product = product.plus(&Self::of(symbols, share), 1)?;
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
        for (symbols, share) in self.terms.iter() {
            if symbols.is_empty() {
                remainder.put(Vec::new(), share.map(|value| Some(value.rem_euclid(by)))?);
            } else {
                share.map(|value| (value % by == 0).then_some(value))?;
            }
            let of = |value: i64| Some(value.div_euclid(by));
            quotient.put(symbols.clone(), share.map(of)?);
        }
        Some((quotient, remainder))
    }

    /// What lane `to` has more than lane `from`.
    pub fn step(&self, from: usize, to: usize) -> Step {
        let steps = self.terms.iter().filter_map(|(symbols, share)| {
            let Share::Each(row) = share else {
                return None;
            };
            let step = row.get(to)?.checked_sub(*row.get(from)?)?;
            (step != 0).then(|| (symbols.clone(), step))
        });
        steps.collect()
    }

    /// Whether the step from each lane of `pairs` to the next is one.
    fn is_even(&self, pairs: &[usize]) -> bool {
        let mut shares = self.terms.iter();
        shares.all(|(_, share)| match share {
            Share::Same(_) => true,
            Share::Each(row) => {
                let step = |lane: usize| row.get(lane + 1)?.checked_sub(*row.get(lane)?);
                let first = pairs.first().and_then(|lane| step(*lane));
                first.is_some() && pairs.iter().all(|lane| step(*lane) == first)
            }
        })
    }

    /// The number before `symbol` alone, and the rest; `None` where lanes differ in it, or it is in
    /// other products.
    pub fn without(&self, symbol: Symbol) -> Option<(i64, Self)> {
        let mut rest = self.clone();
        let (_, share) = Rc::make_mut(&mut rest.terms).remove(self.find(&[symbol]).ok()?);
        let elsewhere = rest
            .terms
            .iter()
            .any(|(symbols, _)| symbols.contains(&symbol));
        match share {
            Share::Same(value) if !elsewhere => Some((value, rest)),
            _ => None,
        }
    }

    /// It without the number that lane 0 adds to its symbols, and that number.
    pub fn split(&self) -> Option<(Self, i64)> {
        let base = self.get(&[]).map_or(0, Share::first);
        Some((self.plus(&Self::number(base), -1)?, base))
    }

    /// Every symbol in it.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.terms.iter().flat_map(|(symbols, _)| symbols).copied()
    }

    /// Lane by lane, where both are known.
    pub fn zip(&self, other: &Self, of: impl Fn(i64, i64) -> Option<i64>) -> Option<Self> {
        let share = self.known_share()?.zip(&other.known_share()?, of)?;
        Some(Self::of(Vec::new(), share))
    }
}

/// The step from one of the `active` lanes to the next, as most pairs of them have it.
pub(super) fn stride(value: &Lanes, active: u32) -> Option<Step> {
    let both = |lane: &usize| active >> lane & 3 == 3;
    let pairs: Vec<usize> = (0..LANES - 1).filter(both).collect();
    let first = value.step(*pairs.first()?, pairs[0] + 1);
    if value.is_even(&pairs) {
        return Some(first);
    }
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
