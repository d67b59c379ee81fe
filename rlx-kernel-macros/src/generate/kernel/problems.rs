//! What is wrong with the instances of a kernel, each problem once.

use proc_macro2::{LineColumn, TokenStream};
use rlx_kernel_ir::Diagnostic;

use crate::chain::Entry;
use crate::report;
use crate::spans::Spans;

/// Instances that a message names; it counts more of them.
const NAMED: usize = 3;

/// Problems, and the instances that have them.
#[derive(Default)]
pub struct Problems {
    all: Vec<Problem>,
}

struct Problem {
    /// In every instance the body has spans of its own.
    place: (String, LineColumn, LineColumn),
    diagnostic: Diagnostic,
    instances: Vec<String>,
}

impl Problems {
    /// Adds what was found in an instance.
    pub fn add(&mut self, found: &[Diagnostic], spans: &Spans, instance: &str) {
        for diagnostic in found {
            let (first, last) = report::place(diagnostic, spans);
            let place = (first.file(), first.start(), last.end());
            let known = self.all.iter_mut().find(|problem| {
                problem.place == place && problem.diagnostic.message == diagnostic.message
            });
            if let Some(known) = known {
                if known.instances.last().is_none_or(|last| last != instance) {
                    known.instances.push(instance.into());
                }
                continue;
            }
            self.all.push(Problem {
                place,
                diagnostic: diagnostic.clone(),
                instances: vec![instance.into()],
            });
        }
    }

    /// The errors. What only some of the `count` instances have names them.
    pub fn to_tokens(&self, count: usize, spans: &Spans, helpers: &[Entry]) -> TokenStream {
        let mut out = TokenStream::new();
        for problem in &self.all {
            let mut text = report::text(&problem.diagnostic, spans, helpers);
            if problem.instances.len() < count {
                text.push_str("\nnote: ");
                text.push_str(&some(&problem.instances, count));
            }
            out.extend(report::at(report::place(&problem.diagnostic, spans), &text));
        }
        out
    }
}

/// ``in the instance `F = Q4_K` ``, and its kind.
fn some(instances: &[String], count: usize) -> String {
    let named = instances.iter().take(NAMED);
    let named: Vec<_> = named.map(|instance| format!("`{instance}`")).collect();
    let named = named.join(", ");
    match instances.len() {
        1 => format!("in the instance {named}"),
        some if some <= NAMED => format!("in the instances {named}"),
        some => format!("in {some} of {count} instances: {named}, .."),
    }
}
