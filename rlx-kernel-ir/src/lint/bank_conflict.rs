//! `bank_conflict`

use std::collections::{BTreeMap, BTreeSet};

use super::follow::Access;
use super::lanes::{LANES, Lanes, Step, constant, stride};
use super::{Form, Subject};
use crate::diagnostic::Diagnostic;
use crate::types::{Source, Type};

/// Banks of workgroup memory, each a word wide.
const BANKS: i64 = 32;

/// Elements that rows are made longer by at the most.
const MAX_PAD: u32 = 8;

/// Workgroup memory of which consecutive invocations want several words of one bank at once.
pub(super) fn check(subject: &Subject<'_>) -> Vec<(Form, Diagnostic)> {
    let Some(kernel) = subject.kernel else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut told: Vec<(u32, usize, Lanes)> = Vec::new();
    for access in &subject.seen().accesses {
        let Source::Workgroup(index) = access.source else {
            continue;
        };
        let Some(var) = kernel.workgroup.get(index) else {
            continue;
        };
        let Some(turns) = conflicts(access, &var.ty, 0) else {
            continue;
        };
        if turns.ways < 2 {
            continue;
        }
        // What a statement reads and writes at one place is one mistake.
        let Some((rest, _)) = address(access, &var.ty, 0).and_then(|address| address.split())
        else {
            continue;
        };
        let place = (access.statement, index, rest);
        if told.contains(&place) {
            continue;
        }
        told.push(place);
        let (name, ways) = (&var.name, turns.ways);
        let at_least = if turns.exact { "" } else { "at least " };
        let verb = if access.write { "write" } else { "read" };
        let message = format!(
            "consecutive invocations {verb} words of `{name}` in the same bank of workgroup memory: the access takes {at_least}{ways} turns instead of one"
        );
        let mut diagnostic =
            Diagnostic::new(access.span, message).help(help(access, &var.ty, name));
        if let Some((function, at)) = &access.inside {
            diagnostic = diagnostic.note(*at, format!("the access is in `{function}` {{}}"));
        }
        found.push((Form::Own, diagnostic));
    }
    found
}

/// How an access falls onto the banks.
struct Turns {
    ways: usize,
    /// Whether it is so exactly, rather than at least.
    exact: bool,
}

/// Of an access to memory of type `ty`, with its innermost rows `pad` elements longer.
fn conflicts(access: &Access, ty: &Type, pad: u32) -> Option<Turns> {
    let words = i64::from(access.ty.layout()?.0) / 4;
    if !matches!(words, 1 | 2 | 4) {
        return None;
    }
    let address = address(access, ty, pad)?;
    // Rows of neighbours may overlap in a few banks whatever their length is.
    let is_near = |step: Step| constant(&step).is_some_and(|step| step.abs() <= words);
    if stride(&address, access.active).is_none_or(is_near) {
        return Some(Turns {
            ways: 1,
            exact: true,
        });
    }
    // What is wider than a word is moved in parts of the subgroup.
    let part = LANES / words as usize;
    let first: Vec<usize> = (0..LANES)
        .filter(|lane| access.active >> lane & 1 == 1)
        .collect();
    let mut turns = Turns {
        ways: 1,
        exact: true,
    };
    for lanes in first.chunk_by(|a, b| a / part == b / part) {
        let Some(base) = lanes.first() else { continue };
        let steps: BTreeSet<_> = lanes
            .iter()
            .map(|lane| address.step(*base, *lane))
            .collect();
        let offsets: Option<Vec<i64>> = steps.iter().map(constant).collect();
        let ways = if let Some(offsets) = offsets {
            let mut banks: BTreeMap<i64, usize> = BTreeMap::new();
            for offset in offsets {
                *banks
                    .entry(offset.div_euclid(words).rem_euclid(BANKS / words))
                    .or_default() += 1;
            }
            banks.into_values().max().unwrap_or(1)
        } else {
            // All words are multiples of this apart, whatever the symbols are.
            let apart = steps
                .iter()
                .flat_map(BTreeMap::values)
                .fold(BANKS, |a, b| gcd(a, b.abs()));
            let banks = (BANKS / apart.max(words)).max(1);
            turns.exact = false;
            steps.len().div_ceil(banks as usize)
        };
        turns.ways = turns.ways.max(ways);
    }
    Some(turns)
}

/// The word that an access begins at.
fn address(access: &Access, ty: &Type, pad: u32) -> Option<Lanes> {
    let mut ty = ty.clone();
    let mut address = Lanes::default();
    for (index, _) in &access.indices {
        let (Type::Array(elem, _) | Type::Vector(elem, _)) = &ty else {
            return None;
        };
        let words = i64::from(size(elem, pad)?) / 4;
        address = address.plus(index, words)?;
        ty = (**elem).clone();
    }
    Some(address)
}

/// Bytes from one value of a type to the next, with the rows in it `pad` elements longer.
fn size(ty: &Type, pad: u32) -> Option<u32> {
    let Type::Array(elem, len) = ty else {
        let (size, align) = ty.layout()?;
        return Some(size.next_multiple_of(align));
    };
    let longer = if matches!(**elem, Type::Array(..)) {
        0
    } else {
        pad
    };
    size(elem, pad)?.checked_mul(len + longer)
}

/// What to write instead.
fn help(access: &Access, ty: &Type, name: &str) -> String {
    let free = |pad: &u32| conflicts(access, ty, *pad).is_some_and(|turns| turns.ways < 2);
    let rows = matches!(ty, Type::Array(row, _) if matches!(**row, Type::Array(..)));
    match (1..=MAX_PAD).find(free).filter(|_| rows) {
        Some(pad) => {
            let plural = if pad == 1 { "" } else { "s" };
            let longer = longer(ty, pad);
            format!("pad the rows by {pad} element{plural}: `let {name}: {longer};`")
        }
        None => "make the stride odd: pad each row by one element, or index by `i + i / 32`".into(),
    }
}

/// A type with its innermost rows longer.
fn longer(ty: &Type, pad: u32) -> Type {
    match ty {
        Type::Array(elem, len) if matches!(**elem, Type::Array(..)) => {
            Type::Array(Box::new(longer(elem, pad)), *len)
        }
        Type::Array(elem, len) => Type::Array(elem.clone(), len + pad),
        other => other.clone(),
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
