//! `uncoalesced_access`

use std::collections::{BTreeMap, BTreeSet};

use super::follow::{Access, Seen};
use super::lanes::{Lanes, Step, Symbol, constant, stride};
use super::{Form, Subject};
use crate::diagnostic::Diagnostic;
use crate::types::Source;

/// Bytes that memory reads or writes at the least.
const SECTOR: i64 = 32;

/// Bytes that stay in a cache until an invocation has read on.
const RUN: i64 = 128;

/// Storage that consecutive invocations reach at a stride that leaves most of what memory sends
/// unused.
pub(super) fn check(subject: &Subject<'_>) -> Vec<(Form, Diagnostic)> {
    let Some(kernel) = subject.kernel else {
        return Vec::new();
    };
    let seen = subject.seen();
    let mut found = Vec::new();
    let mut told: Vec<(u32, Source, bool, Lanes)> = Vec::new();
    let mut touched = BTreeMap::new();
    for (at, access) in seen.accesses.iter().enumerate() {
        let Source::Binding(index) = access.source else {
            continue;
        };
        let Some(binding) = kernel.bindings.get(index) else {
            continue;
        };
        let Some((bytes, align)) = binding.elem.layout() else {
            continue;
        };
        let bytes = i64::from(bytes.next_multiple_of(align));
        let Some((index, _)) = access.indices.first() else {
            continue;
        };
        let Some(step) = stride(index, access.active) else {
            continue;
        };
        let (text, unused) = match constant(&step) {
            Some(stride) if stride.abs() < 2 => continue,
            Some(stride) if is_run(at, stride.abs(), bytes, seen, &mut touched) => continue,
            Some(stride) => (stride.to_string(), stride.abs().min(SECTOR / bytes)),
            None => match spell(&step, seen, subject) {
                Some(text) => (format!("`{text}`"), SECTOR / bytes),
                None => continue,
            },
        };
        if unused < 2 {
            continue;
        }
        // Elements around one place are one mistake of their statement.
        let Some((rest, _)) = index.split() else {
            continue;
        };
        let place = (access.statement, access.source, access.write, rest);
        if told.contains(&place) {
            continue;
        }
        told.push(place);
        let (name, verb) = (&binding.name, if access.write { "write" } else { "read" });
        let message = format!(
            "consecutive invocations {verb} `{name}` at a stride of {text} elements: of what memory moves, 1 byte in {unused} is used"
        );
        let help =
            "let consecutive invocations take consecutive elements, or go through workgroup memory";
        let mut diagnostic = Diagnostic::new(access.span, message).help(help);
        if let Some((function, at)) = &access.inside {
            diagnostic = diagnostic.note(*at, format!("the access is in `{function}` {{}}"));
        }
        found.push((Form::Own, diagnostic));
    }
    found
}

/// What each access touches, by stride.
type ByStride = BTreeMap<i64, Vec<Option<Touched>>>;

/// Whether an invocation itself reads or writes what lies between its elements, soon enough that a
/// cache still has it.
fn is_run(at: usize, stride: i64, bytes: i64, seen: &Seen, touched: &mut ByStride) -> bool {
    if stride.saturating_mul(bytes) > RUN {
        return false;
    }
    let touched = touched.entry(stride).or_insert_with(|| {
        let accesses = seen.accesses.iter();
        accesses
            .map(|access| Touched::of(access, stride, seen))
            .collect()
    });
    let (Some(access), Some(Some(own))) = (seen.accesses.get(at), touched.get(at)) else {
        return false;
    };
    let mut all: BTreeSet<i64> = BTreeSet::new();
    for (other, touched) in seen.accesses.iter().zip(touched.iter()) {
        let alike = (other.source, other.write) == (access.source, access.write);
        if let Some(touched) = touched
            .as_ref()
            .filter(|touched| alike && touched.rest == own.rest)
        {
            all.extend(&touched.offsets);
        }
    }
    all.len() as i64 == stride
}

/// Elements around one place.
struct Touched {
    /// The place, up to a constant.
    rest: Lanes,
    /// Elements from it, modulo the stride.
    offsets: BTreeSet<i64>,
}

impl Touched {
    fn of(access: &Access, stride: i64, seen: &Seen) -> Option<Self> {
        let (index, _) = access.indices.first()?;
        let mut rest = index.clone();
        let mut offsets = BTreeSet::from([0]);
        let counters: BTreeSet<Symbol> = index.symbols().collect();
        for counter in counters {
            let Some(rounds) = seen.rounds.get(&counter) else {
                continue;
            };
            let Some((step, others)) = rest.without(counter) else {
                continue;
            };
            // A loop of larger steps goes elsewhere.
            if step.abs() >= stride {
                continue;
            }
            rest = others;
            let rounds = rounds.unwrap_or(stride).clamp(1, stride);
            let each = |offset: &i64| {
                let offset = *offset;
                (0..rounds).map(move |round| (offset + step * round).rem_euclid(stride))
            };
            offsets = offsets.iter().flat_map(each).collect();
        }
        let (rest, base) = rest.split()?;
        let offsets = offsets
            .iter()
            .map(|offset| (offset + base).rem_euclid(stride));
        Some(Self {
            rest,
            offsets: offsets.collect(),
        })
    }
}

/// A step of params, as its author would write it; none where something else is in it.
fn spell(step: &Step, seen: &Seen, subject: &Subject<'_>) -> Option<String> {
    let kernel = subject.kernel?;
    let mut parts = Vec::new();
    for (symbols, number) in step {
        let mut factors = Vec::new();
        if *number != 1 || symbols.is_empty() {
            factors.push(number.to_string());
        }
        for symbol in symbols {
            let param = kernel.params.get(*seen.params.get(symbol)?)?;
            factors.push(param.name.clone());
        }
        parts.push(factors.join(" * "));
    }
    // The constant comes last.
    parts.rotate_left(usize::from(step.contains_key(&Vec::new())));
    Some(parts.join(" + "))
}
