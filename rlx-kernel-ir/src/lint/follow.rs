//! Which elements of memory 32 consecutive invocations read and write.
//!
//! A kernel is followed as its first subgroup runs it, helpers included: each variable holds what
//! it is in each lane. What depends on data is unknown, and an access at an unknown place is not
//! spoken of.

mod expr;
mod place;
mod stmt;

use std::collections::BTreeMap;

use super::lanes::{LANES, Lanes, Symbol};
use crate::builtin::Input;
use crate::infer::Typed;
use crate::item::{Function, Kernel, LocalId, Module};
use crate::span::Span;
use crate::types::{Source, Type};

/// Expressions followed at the most, so that no kernel takes long.
const BUDGET: u32 = 200_000;

/// A value in each lane.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// It may differ between lanes in any way.
    Unknown,
    /// The same for all, and not known.
    Uniform,
    /// An integer or a `bool`.
    Lanes(Lanes),
    /// Components.
    Vector(Vec<Value>),
}

/// An access to memory.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub source: Source,
    pub write: bool,
    /// From the memory inwards: each index, and how many of the next type there are.
    pub indices: Vec<(Lanes, Option<u32>)>,
    /// What is read or written.
    pub ty: Type,
    /// The statement of the kernel that it is in.
    pub statement: u32,
    /// Lanes that take part, one bit each.
    pub active: u32,
    /// In the kernel: the access, or the call that leads to it.
    pub span: Span,
    /// In a helper: its name, and the access.
    pub inside: Option<(String, Span)>,
}

/// Everything that was seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub accesses: Vec<Access>,
    /// Rounds of the loops whose counters are symbols; none where the number is not known.
    pub rounds: BTreeMap<Symbol, Option<i64>>,
    /// Params by symbol.
    pub params: BTreeMap<Symbol, usize>,
}

/// Follows `kernel`.
pub(super) fn follow(module: &Module, typed: &Typed) -> Seen {
    let (Some(kernel), Some(function)) = (&module.kernel, &typed.kernel) else {
        return Seen::default();
    };
    let invocations = kernel
        .workgroup_size
        .iter()
        .fold(1_u64, |all, one| all.saturating_mul(u64::from(*one)));
    let lanes = invocations.min(LANES as u64) as u32;
    let mut follower = Follower {
        module,
        typed,
        kernel,
        seen: Seen::default(),
        known: BTreeMap::new(),
        next: 0,
        budget: BUDGET,
        frame: Frame::new(function),
        active: u32::MAX >> (LANES as u32 - lanes.max(1)),
        live: true,
        statement: 0,
        calls: Vec::new(),
    };
    follower.block(&function.body);
    if follower.budget == 0 {
        return Seen::default();
    }
    follower.seen
}

/// Symbols that mean the same wherever they are met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Param(usize, u8),
    Input(Input, u8),
}

struct Follower<'m> {
    module: &'m Module,
    typed: &'m Typed,
    kernel: &'m Kernel,
    seen: Seen,
    known: BTreeMap<Known, Symbol>,
    next: u32,
    budget: u32,
    frame: Frame<'m>,
    /// Lanes that are here.
    active: u32,
    /// Whether control gets here at all.
    live: bool,
    /// The statement of the kernel at hand.
    statement: u32,
    /// Calls around the function at hand: the places in their callers.
    calls: Vec<Span>,
}

/// The state of a function.
struct Frame<'m> {
    function: &'m Function,
    variables: Vec<Value>,
    returned: Option<Value>,
}

impl<'m> Frame<'m> {
    fn new(function: &'m Function) -> Self {
        Self {
            function,
            variables: vec![Value::Unknown; function.locals.len()],
            returned: None,
        }
    }
}

impl Value {
    fn number(value: i64) -> Self {
        Self::Lanes(Lanes::number(value))
    }

    fn is_uniform(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Uniform => true,
            Self::Lanes(lanes) => lanes.is_uniform(),
            Self::Vector(parts) => parts.iter().all(Self::is_uniform),
        }
    }

    /// Uniform where all of `values` are, else unknown.
    fn of_all<'v>(values: impl IntoIterator<Item = &'v Self>) -> Self {
        if values.into_iter().all(Self::is_uniform) {
            Self::Uniform
        } else {
            Self::Unknown
        }
    }
}

impl Follower<'_> {
    fn fresh(&mut self) -> Symbol {
        self.next += 1;
        Symbol(self.next)
    }

    fn known(&mut self, known: Known) -> Lanes {
        if let Some(symbol) = self.known.get(&known) {
            return Lanes::symbol(*symbol);
        }
        let symbol = self.fresh();
        self.known.insert(known, symbol);
        if let Known::Param(index, _) = known {
            self.seen.params.insert(symbol, index);
        }
        Lanes::symbol(symbol)
    }

    /// The lanes of an integer that is at least uniform.
    fn lanes(&mut self, value: &Value) -> Option<Lanes> {
        match value {
            Value::Lanes(lanes) => Some(lanes.clone()),
            Value::Uniform => Some(Lanes::symbol(self.fresh())),
            Value::Unknown | Value::Vector(_) => None,
        }
    }

    fn get(&self, local: LocalId) -> Value {
        let value = self.frame.variables.get(local.0);
        value.cloned().unwrap_or(Value::Unknown)
    }

    /// Keeps a value; what is uniform and not known is a symbol from here on.
    fn set(&mut self, local: LocalId, value: Value) {
        let ty = self
            .frame
            .function
            .locals
            .get(local.0)
            .map(|local| &local.ty);
        let integer = ty.is_some_and(|ty| matches!(ty, Type::Scalar(scalar) if scalar.is_int()));
        let value = match value {
            Value::Uniform if integer => Value::Lanes(Lanes::symbol(self.fresh())),
            other => other,
        };
        if let Some(variable) = self.frame.variables.get_mut(local.0) {
            *variable = value;
        }
    }

    /// What is either `a` or `b`: the same one in all lanes where the choice is `uniform`.
    fn either(&mut self, a: &Value, b: &Value, uniform: bool) -> Value {
        if a == b {
            return a.clone();
        }
        if !uniform {
            return Value::Unknown;
        }
        match (a, b) {
            (Value::Lanes(a), Value::Lanes(b)) => {
                let same_steps = a
                    .plus(b, -1)
                    .is_some_and(|difference| difference.is_uniform());
                let moved = a.plus(&Lanes::symbol(self.fresh()), 1);
                moved
                    .filter(|_| same_steps)
                    .map_or(Value::Unknown, Value::Lanes)
            }
            (Value::Vector(a), Value::Vector(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b);
                Value::Vector(parts.map(|(a, b)| self.either(a, b, uniform)).collect())
            }
            _ => Value::of_all([a, b]),
        }
    }

    /// An input of an invocation.
    fn input(&mut self, input: Input) -> Value {
        let [x, y, z] = self
            .kernel
            .workgroup_size
            .map(|size| i64::from(size.max(1)));
        let me: [i64; LANES] = std::array::from_fn(|lane| lane as i64);
        let local = [
            me.map(|lane| lane % x),
            me.map(|lane| lane / x % y),
            me.map(|lane| lane / (x * y)),
        ];
        let sizes = [x, y, z];
        match input {
            Input::LocalIndex | Input::SubgroupLane => Value::Lanes(Lanes::row(me)),
            Input::LocalId => {
                Value::Vector(local.map(|row| Value::Lanes(Lanes::row(row))).to_vec())
            }
            Input::GlobalId => {
                let parts = local.into_iter().zip(sizes).enumerate();
                let parts = parts.map(|(at, (row, size))| {
                    let group = self.known(Known::Input(Input::WorkgroupId, at as u8));
                    let index = Lanes::row(row).plus(&group, size);
                    index.map_or(Value::Unknown, Value::Lanes)
                });
                Value::Vector(parts.collect())
            }
            Input::GlobalIndex => {
                let group = self.known(Known::Input(Input::WorkgroupIndex, 0));
                let index = Lanes::row(me).plus(&group, x.saturating_mul(y).saturating_mul(z));
                index.map_or(Value::Unknown, Value::Lanes)
            }
            Input::WorkgroupId | Input::NumWorkgroups => {
                let parts = (0..3).map(|at| Value::Lanes(self.known(Known::Input(input, at))));
                Value::Vector(parts.collect())
            }
            Input::WorkgroupIndex
            | Input::SubgroupSize
            | Input::SubgroupId
            | Input::NumSubgroups => Value::Lanes(self.known(Known::Input(input, 0))),
        }
    }
}
