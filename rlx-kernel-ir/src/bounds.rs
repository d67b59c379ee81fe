//! Proofs that every index is in range and that every loop ends.
//!
//! The typed IR is followed with the values of integer variables as polynomials over atoms (a param,
//! a builtin, what was loaded, the quotient of a division), and with facts of the form polynomial ≥ 0:
//! from `#[requires(..)]`, from conditions, from the ranges of loops and builtins. Arithmetic is exact:
//! the result of an operation that may wrap is a new atom. Helpers are followed at each call, unrolled
//! loops in each round, so that an index is proved where it is proved on every way to it.
//!
//! What is assumed, and checked on the host before a kernel is run without checks: every requirement
//! holds, a binding has at most [`MAX_BINDING_BYTES`], a dimension of the grid at most
//! [`MAX_WORKGROUPS`] workgroups.

mod call;
mod expr;
mod facts;
mod frame;
mod index;
mod input;
mod operator;
mod poly;
mod prove;
mod requires;
mod stmt;
mod value;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::builtin::Input;
use crate::consteval::Env;
use crate::diagnostic::Diagnostic;
use crate::infer::Typed;
use crate::item::{Function, ItemId, Kernel, Module};
use crate::span::Span;
use crate::types::{Scalar, Source, Type};
use facts::{Facts, Mark};
use frame::Frame;
pub(crate) use poly::gcd;
use poly::{Atom, Poly};
pub use requires::{Code, Requirement};
use value::Value;

/// Bytes of a binding at the most: its words are counted in 32 bits, and so are its bytes.
pub const MAX_BINDING_BYTES: u64 = (1 << 32) - 4;
/// Steps of all proofs of a kernel together, so that no kernel takes long to compile.
const BUDGET: usize = 4_000;
/// Workgroups of one dimension of the grid at the most.
pub const MAX_WORKGROUPS: u32 = 65_535;

/// What is proved of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// Indices that may be out of range, in source order.
    pub indices: Vec<Unproved>,
    /// Loops that may not end, in source order.
    pub loops: Vec<Unproved>,
    /// Indices that are always out of range.
    pub problems: Vec<Diagnostic>,
    /// What the proofs rest on, with the conditions as the host computes them.
    pub requires: Vec<Requirement>,
}

/// An index or a loop of which nothing was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    /// Where it is.
    pub span: Span,
    /// What it is, and why nothing was proved.
    pub reason: String,
}

/// Proves what it can of the kernel of `module`.
pub fn prove(module: &Module, typed: &Typed) -> Proof {
    let (Some(kernel), Some(function)) = (&module.kernel, &typed.kernel) else {
        return Proof::default();
    };
    let mut walker = Walker {
        module,
        typed,
        kernel,
        function,
        facts: Facts::default(),
        wraps: HashSet::new(),
        inputs: HashMap::new(),
        overrides: HashMap::new(),
        params: Vec::new(),
        lengths: Vec::new(),
        env: Frame::default(),
        divisions: Vec::new(),
        dead: false,
        exhausted: false,
        consts: Env::new(),
        returned: None,
        depth: 0,
        budget: Cell::new(BUDGET),
        indices: BTreeMap::new(),
        loops: BTreeMap::new(),
    };
    walker.interface();
    let requires = walker.require();
    // What is known of builtins is known everywhere.
    walker.inputs();
    walker.body(&function.body);
    let mut proof = Proof {
        requires,
        ..Proof::default()
    };
    if walker.exhausted {
        let reason = "the kernel is too large to be followed";
        for index in walker.indices.values_mut() {
            *index = Index::Unproved(reason.into());
        }
        for found in walker.loops.values_mut() {
            *found = Some(reason.into());
        }
    }
    for (span, index) in walker.indices {
        match index {
            Index::Proved => {}
            Index::Unproved(reason) => proof.indices.push(Unproved { span, reason }),
            Index::Outside(message) => proof.problems.push(Diagnostic::new(span, message)),
        }
    }
    let open = walker
        .loops
        .into_iter()
        .filter_map(|(span, reason)| Some((span, reason?)));
    proof.loops = open
        .map(|(span, reason)| Unproved { span, reason })
        .collect();
    proof
}

/// What a function has returned early: an upper bound, where one is known.
#[derive(Clone, Copy)]
struct Returned(Option<i128>);

/// What is known of an index on all ways to it so far.
enum Index {
    Proved,
    Unproved(String),
    Outside(String),
}

/// A division that has been named: dividend, divisor, and what comes of it: quotient and rest.
type Division = ((Poly, Poly), (Poly, Poly));

struct Walker<'m> {
    module: &'m Module,
    typed: &'m Typed,
    kernel: &'m Kernel,
    function: &'m Function,
    facts: Facts,
    /// Atoms that are the wrapped results of operations.
    wraps: HashSet<Atom>,
    inputs: HashMap<(Input, usize), Poly>,
    overrides: HashMap<ItemId, Poly>,
    params: Vec<Value>,
    /// Elements of each binding; words of packed ones.
    lengths: Vec<Poly>,
    /// Variables of the function at hand.
    env: Frame,
    divisions: Vec<Division>,
    /// Whether control does not come here.
    dead: bool,
    /// Whether there were too many atoms: then nothing is proved.
    exhausted: bool,
    /// Values of unrolled loop variables.
    consts: Env,
    /// What has been returned from the function at hand, if control has left it early.
    returned: Option<Returned>,
    /// Calls around the function at hand.
    depth: usize,
    /// Steps that are left to the proofs.
    budget: Cell<usize>,
    indices: BTreeMap<Span, Index>,
    /// Why a loop may not end; nothing where it does.
    loops: BTreeMap<Span, Option<String>>,
}

impl Walker<'_> {
    fn fresh(&mut self, max: i128) -> Poly {
        if let Some(atom) = self.facts.fresh(max) {
            Poly::atom(atom)
        } else {
            self.exhausted = true;
            Poly::default()
        }
    }

    /// Any value of an integer type.
    fn any(&mut self, ty: &Type) -> Poly {
        let scalar = match ty {
            Type::Block { .. } => Some(Scalar::U32),
            other => other.scalar(),
        };
        let Some(range) = scalar.and_then(Scalar::range) else {
            return self.fresh(i128::MAX >> 1);
        };
        let atom = self.fresh(range.end() - range.start());
        atom.offset(*range.start()).unwrap_or(atom)
    }

    fn prove(&self, goal: Option<Poly>) -> bool {
        goal.is_some_and(|goal| self.facts.prove(goal, &self.budget))
    }

    /// Whether `poly` is at most `bound`.
    fn at_most(&self, poly: &Poly, bound: i128) -> bool {
        self.prove(Poly::constant(bound).plus(-1, poly))
    }

    /// Whether `poly` is at least 0.
    fn is_positive(&self, poly: &Poly) -> bool {
        let known = self.facts.at_once(poly);
        known.unwrap_or_else(|| self.prove(Some(poly.clone())))
    }

    /// A point to which [`Self::back`] goes back.
    fn mark(&self) -> (Mark, usize) {
        (self.facts.mark(), self.divisions.len())
    }

    /// Forgets what was learnt since.
    fn back(&mut self, (facts, divisions): (Mark, usize)) {
        self.facts.rollback(facts);
        self.divisions.truncate(divisions);
    }

    /// The values of bindings and params before anything is known of them.
    fn interface(&mut self) {
        for binding in &self.kernel.bindings {
            let stride = match &binding.elem {
                Type::Packed(_) => 4,
                elem => crate::layout::on_device(self.module, elem)
                    .map_or(4, |(size, align)| size.next_multiple_of(align).max(1)),
            };
            let length = self.fresh(i128::from(MAX_BINDING_BYTES) / i128::from(stride));
            self.lengths.push(length);
        }
        // Whole blocks come before what is counted in them.
        for (index, binding) in self.kernel.bindings.iter().enumerate() {
            if let Type::Packed(format) = binding.elem
                && let Some(format) = self.module.format(format)
                && let Some(bytes) = self.lengths.get(index).and_then(|words| words.scaled(4))
            {
                self.quotient(&bytes, &Poly::constant(format.consts.bytes.into()));
            }
        }
        for param in &self.kernel.params {
            let value = match &param.ty {
                Type::Scalar(scalar) if scalar.is_int() => Value::Int(self.any(&param.ty)),
                Type::Vector(elem, len) if elem.scalar().is_some_and(Scalar::is_int) => {
                    Value::Vector((0..*len).map(|_| self.any(elem)).collect())
                }
                _ => Value::Unknown,
            };
            self.params.push(value);
        }
    }

    /// The elements behind `source`, and what they are called.
    fn length(&mut self, source: Source) -> Option<(Poly, String)> {
        match source {
            Source::Binding(index) => {
                let name = &self.kernel.bindings.get(index)?.name;
                Some((self.lengths.get(index)?.clone(), name.clone()))
            }
            Source::Table(index) => {
                let table = self.module.tables.get(index)?;
                Some((Poly::constant(table.len.into()), table.name.clone()))
            }
            Source::Workgroup(index) => {
                let var = self.kernel.workgroup.get(index)?;
                let len = match (&var.len, &var.ty) {
                    (Some(len), _) => self.int(len),
                    (None, Type::Array(_, len)) => Poly::constant(i128::from(*len)),
                    _ => return None,
                };
                Some((len, var.name.clone()))
            }
        }
    }
}
