//! Uniformity: barriers and subgroup operations are reached by all invocations of a workgroup, and
//! what is done with matrices by all of a subgroup.
//!
//! The rules are those of the uniformity analysis of the WGSL specification, which naga leaves out
//! and browsers enforce. They are followed on the typed IR in the order and shape in which the
//! printer writes it: a value is uniform, or carries the `Cause` for which it may
//! not be; so does the control flow. Functions are analysed once for each combination of arguments
//! that may differ.
//!
//! A module with matrices is followed once more, for what differs within a subgroup: subgroups may go
//! different ways there.

mod cause;
mod expr;
mod flow;
mod report;
mod stmt;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::consteval::Env;
use crate::diagnostic::Diagnostic;
use crate::infer::Typed;
use crate::item::{Function, Module};
use crate::matrix;
use crate::span::Span;
use crate::types::Type;
use cause::{Cause, Value};
use flow::{Exits, Flow};

/// What the kernel of `module` does in control flow that differs between the invocations of a
/// workgroup and must not; empty where there is no kernel.
pub fn check(module: &Module, typed: &Typed) -> Vec<Diagnostic> {
    let Some(kernel) = &typed.kernel else {
        return Vec::new();
    };
    let follow = |scope| {
        let mut analysis = Analysis {
            module,
            typed,
            scope,
            summaries: BTreeMap::new(),
        };
        Walker::new(&mut analysis, kernel).run().problems.clone()
    };
    let mut problems = follow(Scope::Workgroup);
    let instances = typed.instances.iter().map(|instance| &instance.function);
    let mut functions = typed.kernel.iter().chain(instances);
    if functions.any(matrix::in_function) {
        problems.extend(follow(Scope::Subgroup));
    }
    problems.sort_by_key(|problem| problem.span);
    problems
}

/// Among whom values and control flow are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Workgroup,
    Subgroup,
}

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Self::Workgroup => "workgroup",
            Self::Subgroup => "subgroup",
        }
    }
}

/// What is known of the functions of a kernel.
struct Analysis<'m> {
    module: &'m Module,
    typed: &'m Typed,
    scope: Scope,
    /// By instance, and by which of its arguments may differ.
    summaries: BTreeMap<(usize, Vec<bool>), Rc<Summary>>,
}

/// What a function does, called in uniform control flow.
struct Summary {
    /// Its result.
    ret: Value,
    /// What it leaves in each of its parameters; none for those that are no pointers.
    outs: Vec<Value>,
    /// The first operation in it that all invocations must reach.
    collective: Option<Collective>,
    problems: Vec<Diagnostic>,
}

/// An operation that all invocations of the workgroup, or of the subgroup, must reach.
#[derive(Clone)]
struct Collective {
    name: &'static str,
    span: Span,
    scope: Scope,
    /// Whether it is a subgroup operation rather than a barrier.
    subgroup: bool,
    /// The function around it.
    function: String,
}

/// What happens in a loop besides reaching its end.
struct Round {
    breaks: Flow,
    continues: Flow,
}

/// Follows one function.
struct Walker<'w, 'm> {
    analysis: &'w mut Analysis<'m>,
    function: &'m Function,
    /// Values of unrolled loop variables.
    env: Env,
    flow: Flow,
    /// How the statements so far leave the construct at hand.
    exits: Exits,
    /// Loops around the statement at hand, innermost last.
    rounds: Vec<Round>,
    /// What has been returned so far.
    ret: Value,
    /// The variables at the returns so far.
    returns: Flow,
    collective: Option<Collective>,
    problems: Vec<Diagnostic>,
}

impl<'w, 'm> Walker<'w, 'm> {
    fn new(analysis: &'w mut Analysis<'m>, function: &'m Function) -> Self {
        Self {
            analysis,
            function,
            env: Env::new(),
            flow: Flow::new(function.locals.len()),
            exits: Exits::default(),
            rounds: Vec::new(),
            ret: None,
            returns: Flow::unreached(),
            collective: None,
            problems: Vec::new(),
        }
    }

    fn run(mut self) -> Rc<Summary> {
        let function = self.function;
        if function.ret == Type::Unit {
            self.block(&function.body);
        } else {
            self.returned_block(&function.body);
        }
        self.returns.join(&self.flow);
        let outs = function.params.iter().map(|param| match param.ty {
            Type::Pointer(_) => self.returns.get(param.local),
            _ => None,
        });
        Rc::new(Summary {
            ret: self.ret,
            outs: outs.collect(),
            collective: self.collective,
            problems: self.problems,
        })
    }

    /// The author's name of a variable.
    fn name(&self, local: crate::item::LocalId) -> String {
        let local = self.function.locals.get(local.0);
        local.map_or_else(String::new, |local| local.name.clone())
    }

    /// Keeps a problem; a place that is followed several times has it once.
    fn report(&mut self, problem: Diagnostic) {
        let known =
            |other: &Diagnostic| (other.span, &other.message) == (problem.span, &problem.message);
        if !self.problems.iter().any(known) {
            self.problems.push(problem);
        }
    }

    /// The call of instance `index` at `span` with arguments of these values, each with its place.
    fn call(&mut self, index: usize, args: &[(Value, Span)], span: Span) -> Option<Rc<Summary>> {
        let typed = self.analysis.typed;
        let function = &typed.instances.get(index)?.function;
        let key = (
            index,
            args.iter().map(|(value, _)| value.is_some()).collect(),
        );
        let summary = if let Some(known) = self.analysis.summaries.get(&key) {
            Rc::clone(known)
        } else {
            let mut walker = Walker::new(self.analysis, function);
            for (param, (local, (value, at))) in function
                .params
                .iter()
                .map(|param| param.local)
                .zip(args)
                .enumerate()
            {
                let given = value.as_ref().map(|by| {
                    Rc::new(Cause::Given {
                        param,
                        function: function.name.clone(),
                        name: walker.name(local),
                        span: *at,
                        by: Rc::clone(by),
                    })
                });
                walker.flow.set(local, given);
            }
            let summary = walker.run();
            self.analysis.summaries.insert(key, Rc::clone(&summary));
            summary
        };
        for problem in &summary.problems {
            self.report(problem.clone());
        }
        if let Some(collective) = &summary.collective {
            if let Some(control) = self.flow.control.clone() {
                self.report(report::unreached(collective, Some(span), &control));
            }
            self.collective.get_or_insert_with(|| collective.clone());
        }
        Some(summary)
    }
}

#[cfg(test)]
mod tests;
