//! What follows from facts.

use std::cell::Cell;

use super::facts::Facts;
use super::poly::{Atom, Monomial, Poly, gcd};

/// Steps of one proof at the most, and facts that one combines.
const STEPS: usize = 96;
const DEPTH: usize = 12;
/// How often a proof may go on to what came later.
const LATER: usize = 1;
/// Goals that are remembered.
const MEMORY: usize = 16;

impl Facts {
    /// Whether `goal` is at least 0 for certain; `budget` is the steps that are left to all proofs of
    /// a kernel.
    ///
    /// The goal is proved where the ranges of its atoms say so. Until then the latest atom of its
    /// negative terms is replaced by a bound of it: a fact, times a monomial, is subtracted, and what
    /// is left must be at least 0.
    pub fn prove(&self, goal: Poly, budget: &Cell<usize>) -> bool {
        if let Some(proved) = self.at_once(&goal) {
            return proved;
        }
        let goal = goal.tightened();
        let mut asked = self.asked.borrow_mut();
        let version = self.version();
        let (constant, terms) = goal.parts();
        for (then, known, proved) in &*asked {
            let (base, own) = known.parts();
            // What is more is proved with what is less, and fails with it the other way round.
            let tells = if *proved {
                constant >= base
            } else {
                constant <= base
            };
            if *then == version && tells && own == terms {
                return *proved;
            }
        }
        let mut search = Search {
            facts: self,
            steps: STEPS.min(budget.get()),
        };
        let allowed = search.steps;
        let proved = search.prove(goal.clone(), DEPTH, LATER);
        budget.set(budget.get() - (allowed - search.steps));
        if asked.len() == MEMORY {
            asked.remove(0);
        }
        asked.push((version, goal, proved));
        proved
    }

    /// Whether a goal is at least 0, where the ranges of its atoms tell, or nothing can be.
    pub fn at_once(&self, goal: &Poly) -> Option<bool> {
        if self.is_contradiction() {
            return Some(true);
        }
        match self.bounds(goal) {
            Some((0.., _)) => Some(true),
            Some((_, ..0)) => Some(false),
            _ => None,
        }
    }

    /// Bounds of ⌊dividend / divisor⌋ by what is known of its dividend, rounded down.
    fn quotient_bounds(&self, dividend: &Poly, divisor: i128) -> Vec<Poly> {
        let Some((latest, scale)) = dividend.terms().last().copied() else {
            return Vec::new();
        };
        if scale <= 0 || latest == Monomial::ONE {
            return Vec::new();
        }
        let mut bounds = Vec::new();
        for fact in self.known() {
            let theirs = -fact.coefficient(latest);
            if theirs <= 0 {
                continue;
            }
            // theirs · dividend ≤ theirs · dividend + scale · fact
            let bound = dividend
                .scaled(theirs)
                .and_then(|dividend| dividend.plus(scale, fact));
            let (Some(bound), Some(whole)) = (bound, theirs.checked_mul(divisor)) else {
                continue;
            };
            let (_, rest) = bound.split(whole);
            if self.most(&rest).is_some_and(|most| most < whole) {
                bounds.extend(self.rounded(&bound, whole));
                continue;
            }
            // A bound of what the divisor does not divide may be divided by it.
            let Some((open, have)) = rest.terms().last().copied().filter(|(_, have)| *have > 0)
            else {
                continue;
            };
            for fact in self.known() {
                let theirs = -fact.coefficient(open);
                if theirs > 0 && have % theirs == 0 {
                    let bound = bound.plus(have / theirs, fact);
                    bounds.extend(bound.and_then(|bound| self.rounded(&bound, whole)));
                }
            }
        }
        bounds
    }

    /// An upper bound of ⌊dividend / divisor⌋ without the terms that the divisor does not divide.
    fn rounded(&self, dividend: &Poly, divisor: i128) -> Option<Poly> {
        let (quotient, rest) = dividend.split(divisor);
        quotient.offset(self.most(&rest)?.div_euclid(divisor))
    }
}

struct Search<'f> {
    facts: &'f Facts,
    steps: usize,
}

/// Atoms up to this are digits: their range says more than what they are made of.
const DIGIT: i128 = 1 << 12;
/// Atoms past this say nothing as a factor.
const LARGE: i128 = 1 << 16;

/// A goal that is left, with how hard it looks: the way to it, the latest of its negative monomials, the
/// number of those, and what is below it.
type Left = ((Way, Option<Monomial>, usize, i128), Poly);

/// How a goal came of another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// By a fact, to what was there earlier, or by a small range.
    Earlier,
    /// By the range of an atom that has many values.
    Range,
    /// By a fact, to what came later. Few of these lead to a proof, and two may lead round.
    Later,
}

impl Search<'_> {
    /// `later` is how often a bound may be one that came later.
    fn prove(&mut self, goal: Poly, depth: usize, later: usize) -> bool {
        let goal = goal.tightened();
        if let Some(proved) = self.facts.at_once(&goal) {
            return proved;
        }
        if depth == 0 || self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        let negative = goal.terms().iter().rev().find(|(_, value)| *value < 0);
        let Some((monomial, value)) = negative.copied() else {
            return false;
        };
        let mut next: Vec<Left> = Vec::new();
        match monomial.latest() {
            None => self.raised(&goal, &mut next),
            Some(atom) => self.lowered(&goal, (monomial, -value), atom, &mut next),
        }
        next.sort_by_key(|(hardness, _)| *hardness);
        next.dedup();
        next.into_iter().any(|((way, ..), goal)| {
            let later = match way {
                Way::Later => later.checked_sub(1),
                _ => Some(later),
            };
            // A way that leads nowhere leaves a quarter of the steps.
            let kept = self.steps / 4;
            self.steps -= kept;
            let proved = later.is_some_and(|later| self.prove(goal, depth - 1, later));
            self.steps += kept;
            proved
        })
    }

    /// Goals in which the `have` negative `monomial`s, of which `atom` is the latest factor, are
    /// replaced by a bound.
    fn lowered(&self, goal: &Poly, term: (Monomial, i128), atom: Atom, next: &mut Vec<Left>) {
        let (monomial, have) = term;
        let (_, most) = self.facts.range(atom);
        let ceiling = Poly::constant(most).plus(-1, &Poly::atom(atom));
        let Some((factor, ceiling)) = monomial.without(Monomial::of(atom)).zip(ceiling) else {
            return;
        };
        let is_single = monomial.single().is_some();
        if is_single || most <= LARGE {
            let left = cancelled(goal, have, (&ceiling, factor), 1);
            let left = left.map(|left| judged(left, monomial));
            let way = if most <= DIGIT {
                Way::Earlier
            } else {
                Way::Range
            };
            next.extend(
                left.map(|((_, latest, count, below), left)| ((way, latest, count, below), left)),
            );
        }
        for fact in self.facts.known() {
            for (own, theirs) in fact.terms() {
                // Factors of a monomial come before it.
                if *own > monomial {
                    break;
                }
                if *theirs < 0
                    && *own != Monomial::ONE
                    && let Some(factor) = monomial.without(*own)
                {
                    let left = cancelled(goal, have, (fact, factor), -theirs);
                    next.extend(left.map(|left| judged(left, monomial)));
                }
            }
        }
        if let Some((dividend, divisor)) = self.facts.quotient(atom) {
            for bound in self.facts.quotient_bounds(dividend, divisor) {
                let fact = bound.plus(-1, &Poly::atom(atom));
                let left = fact.and_then(|fact| cancelled(goal, have, (&fact, factor), 1));
                next.extend(left.map(|left| judged(left, monomial)));
            }
        }
    }

    /// Goals whose negative constant is taken away by facts of the same positive terms.
    fn raised(&self, goal: &Poly, next: &mut Vec<Left>) {
        for fact in self.facts.known() {
            if fact.coefficient(Monomial::ONE) >= 0 {
                continue;
            }
            let positive = fact.terms().iter().filter(|(_, value)| *value > 0);
            let times = positive
                .map(|(monomial, value)| goal.coefficient(*monomial) / value)
                .min();
            if let Some(times) = times.filter(|times| *times > 0) {
                let left = goal.plus(-times, fact);
                next.extend(left.map(|left| judged(left, Monomial::ONE)));
            }
        }
    }
}

/// A goal from which a fact times a monomial has been subtracted often enough to take away a term,
/// which the goal has `-have` times and the fact `-theirs` times.
fn cancelled(
    goal: &Poly,
    have: i128,
    (fact, factor): (&Poly, Monomial),
    theirs: i128,
) -> Option<Poly> {
    let common = gcd(have, theirs);
    let (scale, times) = (theirs / common, have / common);
    if scale == 1 {
        goal.plus_shifted(-times, factor, fact)
    } else {
        // Of integers, g ≥ 0 exactly where s·g + (s - 1) ≥ 0.
        let scaled = goal.scaled(scale)?.offset(scale - 1)?;
        scaled.plus_shifted(-times, factor, fact)
    }
}

/// A goal that is left of one whose latest negative monomial was `before`.
fn judged(goal: Poly, before: Monomial) -> Left {
    let (mut latest, mut count, mut below) = (None, 0, 0);
    for (own, value) in goal.terms() {
        if *value < 0 {
            latest = Some(*own);
            count += 1;
        }
        if *own == Monomial::ONE {
            below = -value;
        }
    }
    let way = if latest < Some(before) {
        Way::Earlier
    } else {
        Way::Later
    };
    ((way, latest, count, below), goal)
}
