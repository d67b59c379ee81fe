//! What an invocation of a kernel costs: operations on floats, bytes of storage memory.
//!
//! Counted over the typed IR. A loop counts as often as its range says, where that is made of params,
//! lengths and overrides: what an invocation's own place adds to the start of a strided loop evens out
//! over the workgroup, and is left out. A branch that the invocation's place decides (`if me < 32`)
//! counts for those who take it, any other for all; of two branches the dearer one. What
//! repeats as often as values decide counts once, and the cost is then open: at least so much.

mod amount;
mod expr;
mod rounds;
mod share;
mod stmt;

use std::collections::{HashMap, HashSet};

pub use amount::{Amount, Factors, Ratio, Symbol};

use crate::builtin::Input;
use crate::consteval::Env;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::infer::Typed;
use crate::item::{Function, ItemId, LocalId, Module};
use crate::types::{Scalar, Source, Type};

/// What one invocation does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Operations on floats; a component of a vector is one, a fused product and sum two.
    pub flops: Amount,
    /// Bytes that it reads from storage memory, however often.
    pub read: Amount,
    /// Bytes that it writes to storage memory.
    pub written: Amount,
    /// Whether it may do more than is counted.
    pub open: bool,
}

impl Cost {
    fn flops(count: i128) -> Self {
        Self {
            flops: Amount::number(count),
            ..Self::default()
        }
    }

    fn read(bytes: i128) -> Self {
        Self {
            read: Amount::number(bytes),
            ..Self::default()
        }
    }

    fn written(bytes: i128) -> Self {
        Self {
            written: Amount::number(bytes),
            ..Self::default()
        }
    }

    fn add(&mut self, other: &Self) {
        self.flops.add(1, &other.flops);
        self.read.add(1, &other.read);
        self.written.add(1, &other.written);
        self.open |= other.open;
    }

    fn times(&self, rounds: &Amount) -> Self {
        Self {
            flops: self.flops.times(rounds),
            read: self.read.times(rounds),
            written: self.written.times(rounds),
            open: self.open,
        }
    }

    /// How dear it is, roughly: for the choice between two branches.
    fn weight(&self) -> f64 {
        let all = [&self.flops, &self.read, &self.written];
        all.iter().map(|amount| amount.about(1000.0)).sum()
    }
}

/// The cost of an invocation of the kernel of `module`.
pub fn of(module: &Module, typed: &Typed) -> Cost {
    let Some(function) = &typed.kernel else {
        return Cost::default();
    };
    let overrides = module.overrides();
    let mut counter = Counter {
        module,
        typed,
        overrides: overrides.iter().map(|(id, _)| *id).collect(),
        function,
        values: HashMap::new(),
        own: HashSet::new(),
        places: HashMap::new(),
        consts: Env::new(),
        depth: 0,
    };
    counter.block(&function.body)
}

struct Counter<'m> {
    module: &'m Module,
    typed: &'m Typed,
    overrides: Vec<ItemId>,
    function: &'m Function,
    /// Variables that are known, and never assigned.
    values: HashMap<LocalId, Amount>,
    /// Variables that are made of the invocation's place and of numbers.
    own: HashSet<LocalId>,
    /// Variables that are a value of the invocation.
    places: HashMap<LocalId, Input>,
    /// Values of unrolled loop variables.
    consts: Env,
    depth: usize,
}

/// Whether a place is in storage memory.
fn is_stored(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Binding(_) => true,
        ExprKind::Index(base, _) | ExprKind::Field(base, _) => is_stored(base),
        ExprKind::Local(_) => matches!(
            &place.ty,
            Type::Slice {
                source: Some(Source::Binding(_)),
                ..
            }
        ),
        _ => false,
    }
}

/// Components of a value.
fn lanes(ty: &Type) -> i128 {
    match ty {
        Type::Vector(_, len) => i128::from(*len),
        _ => 1,
    }
}

/// The cost of an operator whose result is of type `ty`.
fn operation(op: BinaryOp, ty: &Type) -> Cost {
    let counts = matches!(
        op,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem
    );
    if counts && ty.scalar().is_some_and(Scalar::is_float) {
        Cost::flops(lanes(ty))
    } else {
        Cost::default()
    }
}
