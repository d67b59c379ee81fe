//! Findings, each place once.

use std::collections::HashMap;

use super::Run;
use crate::finding::{Check, Finding, Invocation};
use crate::program::PlaceId;

/// Collects findings.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    findings: Vec<Finding>,
    known: HashMap<(Check, PlaceId, PlaceId), usize>,
}

impl Sink {
    /// A finding at a place.
    pub fn finding(
        run: &Run<'_>,
        check: Check,
        at: PlaceId,
        message: String,
        help: &str,
    ) -> Finding {
        Finding {
            check,
            level: run.options.of(check),
            message,
            at: run.source(at),
            who: None,
            notes: Vec::new(),
            help: help.to_string(),
            count: 0,
        }
    }

    /// Whether a finding of that kind and those places is known; counts it then.
    pub fn again(&mut self, check: Check, places: (PlaceId, PlaceId), count: u64) -> bool {
        let known = self.known.get(&(check, places.0, places.1));
        let finding = known.and_then(|index| self.findings.get_mut(*index));
        finding.is_some_and(|finding| {
            finding.count += count;
            true
        })
    }

    /// Adds what happened `count` times at `places`.
    pub fn add(
        &mut self,
        mut finding: Finding,
        places: (PlaceId, PlaceId),
        count: u64,
        who: Option<Invocation>,
    ) {
        if self.again(finding.check, places, count) {
            return;
        }
        finding.count = count;
        finding.who = who;
        self.known
            .insert((finding.check, places.0, places.1), self.findings.len());
        self.findings.push(finding);
    }

    /// Adds what another sink of the same program found.
    pub fn merge(&mut self, other: Self) {
        let mut places = vec![None; other.findings.len()];
        for (key, index) in other.known {
            if let Some(slot) = places.get_mut(index) {
                *slot = Some(key);
            }
        }
        for (finding, key) in other.findings.into_iter().zip(places) {
            let Some((_, first, second)) = key else {
                continue;
            };
            let (count, who) = (finding.count, finding.who);
            self.add(finding, (first, second), count, who);
        }
    }

    /// What was found.
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}
