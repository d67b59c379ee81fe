//! What an invocation of a kernel costs: operations on floats, bytes of storage memory.
//!
//! Counted over the typed IR. A loop counts as often as its range says, where that is made of params,
//! lengths and overrides: what an invocation's own place adds to the start of a strided loop evens out
//! over the workgroup, and is left out. A branch counts as taken, of two the dearer one. What
//! repeats as often as values decide counts once, and the cost is then open: at least so much.

mod amount;

use std::collections::{HashMap, HashSet};

pub use amount::{Amount, Factors, Ratio, Symbol};

use crate::builtin::{Builtin, Effect, Input, Spelling};
use crate::consteval::{self, Env};
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::infer::Typed;
use crate::item::{Function, ItemId, LocalId, Module};
use crate::layout;
use crate::matrix::MatrixOp;
use crate::stmt::{Block, Stmt};
use crate::types::{Source, Type};
use crate::wgsl::MAX_UNROLL;

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

    fn open() -> Self {
        Self {
            open: true,
            ..Self::default()
        }
    }

    fn add(&mut self, other: &Self) {
        self.flops = self.flops.plus(1, &other.flops);
        self.read = self.read.plus(1, &other.read);
        self.written = self.written.plus(1, &other.written);
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
        consts: Env::new(),
        depth: 0,
    };
    counter.block(&function.body)
}

/// Calls around a function at the most; helpers do not call themselves.
const MAX_DEPTH: usize = 32;

struct Counter<'m> {
    module: &'m Module,
    typed: &'m Typed,
    overrides: Vec<ItemId>,
    function: &'m Function,
    /// Variables that are known, and never assigned.
    values: HashMap<LocalId, Amount>,
    /// Variables that are made of the invocation's place and of numbers.
    own: HashSet<LocalId>,
    /// Values of unrolled loop variables.
    consts: Env,
    depth: usize,
}

impl Counter<'_> {
    fn block(&mut self, block: &Block) -> Cost {
        let mut cost = Cost::default();
        for stmt in &block.stmts {
            let one = self.stmt(stmt);
            cost.add(&one);
        }
        if let Some(tail) = &block.tail {
            let one = self.expr(tail);
            cost.add(&one);
        }
        cost
    }

    fn stmt(&mut self, stmt: &Stmt) -> Cost {
        match stmt {
            Stmt::Let { local, init, .. } => {
                let Some(init) = init else {
                    return Cost::default();
                };
                let is_mutable = self.function.locals.get(local.0).is_some_and(|l| l.mutable);
                match self.amount(init) {
                    _ if is_mutable => {}
                    Some(value) => {
                        self.values.insert(*local, value);
                    }
                    None if self.is_own_place(init) => {
                        self.own.insert(*local);
                    }
                    None => {}
                }
                self.expr(init)
            }
            Stmt::Assign {
                place, op, value, ..
            } => {
                let mut cost = self.expr(value);
                if let Some(op) = op {
                    cost.add(&operation(*op, &place.ty));
                }
                if self.is_stored(place) {
                    let bytes = self.bytes(&place.ty);
                    cost.add(&Cost::written(bytes));
                    if op.is_some() {
                        cost.add(&Cost::read(bytes));
                    }
                }
                let indices = self.indices(place);
                cost.add(&indices);
                cost
            }
            Stmt::Expr(expr) | Stmt::Return(Some(expr), _) => self.expr(expr),
            Stmt::For {
                local,
                start,
                end,
                inclusive,
                step,
                body,
                unroll,
                ..
            } => {
                let mut cost = self.expr(start);
                for part in [Some(end), step.as_ref()].into_iter().flatten() {
                    let one = self.expr(part);
                    cost.add(&one);
                }
                let known = [Some(start), Some(end), step.as_ref()]
                    .map(|part| part.map_or(Some(1), |part| self.eval(part)));
                if *unroll && let [Some(from), Some(to), Some(by)] = known {
                    let to = to + i128::from(*inclusive);
                    if by >= 1 && (to - from) / by <= MAX_UNROLL {
                        let mut at = from;
                        while at < to {
                            self.consts.insert(*local, at);
                            let one = self.block(body);
                            cost.add(&one);
                            at += by;
                        }
                        self.consts.remove(*local);
                        return cost;
                    }
                }
                let one = self.block(body);
                match self.rounds(start, end, *inclusive, step.as_ref()) {
                    Some(rounds) => cost.add(&one.times(&rounds)),
                    None => {
                        cost.add(&one);
                        cost.add(&Cost::open());
                    }
                }
                cost
            }
            Stmt::While { condition, body } => {
                let mut cost = self.expr(condition);
                let one = self.block(body);
                cost.add(&one);
                cost.add(&Cost::open());
                cost
            }
            Stmt::Loop { body, .. } => {
                let mut cost = self.block(body);
                cost.open = true;
                cost
            }
            Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(None, _) => Cost::default(),
        }
    }

    /// The rounds of a loop.
    fn rounds(
        &self,
        start: &Expr,
        end: &Expr,
        inclusive: bool,
        step: Option<&Expr>,
    ) -> Option<Amount> {
        let end = self.amount(end)?;
        let one = Amount::number(1);
        let past = if inclusive { end.plus(1, &one) } else { end };
        let range = match self.amount(start) {
            Some(start) => past.plus(-1, &start),
            // Where an invocation begins evens out, if all of them go on to the end in strides.
            None if step.is_some() && self.is_own_place(start) => past,
            None => return None,
        };
        match step {
            Some(step) => range.over(&self.amount(step)?),
            None => Some(range),
        }
    }

    /// Whether an expression is made of the invocation's place and of numbers.
    fn is_own_place(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Hex(_) | ExprKind::Const(_) => true,
            ExprKind::Local(local) => self.own.contains(local) || self.values.contains_key(local),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Mul | BinaryOp::Rem | BinaryOp::Div, a, b) => {
                self.is_own_place(a) && self.is_own_place(b)
            }
            ExprKind::Field(base, _) => self.is_own_place(base),
            ExprKind::Builtin(builtin, _) => matches!(
                builtin.wgsl,
                Spelling::Input(
                    Input::LocalId
                        | Input::LocalIndex
                        | Input::SubgroupLane
                        | Input::SubgroupId
                        | Input::SubgroupSize
                )
            ),
            _ => false,
        }
    }

    fn eval(&self, expr: &Expr) -> Option<i128> {
        consteval::eval(self.module, &self.consts, expr)
    }

    /// The value of an integer that all invocations have alike, as an amount.
    fn amount(&self, expr: &Expr) -> Option<Amount> {
        if !matches!(&expr.ty, Type::Scalar(scalar) if scalar.is_int()) {
            return None;
        }
        if let Some(value) = self.eval(expr) {
            return Some(Amount::number(value));
        }
        match &expr.kind {
            ExprKind::Local(local) => self.values.get(local).cloned(),
            ExprKind::Param(index) => Some(Amount::symbol(Symbol::Param(*index))),
            ExprKind::Length(Source::Binding(index)) => {
                Some(Amount::symbol(Symbol::Length(*index)))
            }
            ExprKind::Const(id) => {
                let index = self.overrides.iter().position(|own| own == id)?;
                Some(Amount::symbol(Symbol::Override(index)))
            }
            ExprKind::Cast(inner) => self.amount(inner),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.amount(a)?, self.amount(b)?);
                match op {
                    BinaryOp::Add => Some(a.plus(1, &b)),
                    BinaryOp::Sub => Some(a.plus(-1, &b)),
                    BinaryOp::Mul => Some(a.times(&b)),
                    BinaryOp::Div => a.over(&b),
                    _ => None,
                }
            }
            ExprKind::Builtin(builtin, args) => match (builtin.wgsl, args.as_slice()) {
                (Spelling::Input(Input::SubgroupSize), _) => {
                    Some(Amount::symbol(Symbol::SubgroupSize))
                }
                (Spelling::Input(Input::NumSubgroups), _) => {
                    Some(Amount::symbol(Symbol::NumSubgroups))
                }
                (Spelling::DivCeil, [a, b]) => self.amount(a)?.over(&self.amount(b)?),
                _ => None,
            },
            _ => None,
        }
    }

    fn bytes(&self, ty: &Type) -> i128 {
        let size = layout::on_device(self.module, ty);
        size.map_or(0, |(size, _)| size.into())
    }

    /// Whether a place is in storage memory.
    fn is_stored(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Binding(_) => true,
            ExprKind::Index(base, _) | ExprKind::Field(base, _) => self.is_stored(base),
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

    /// The cost of the indices of a place, which is not read itself.
    fn indices(&mut self, place: &Expr) -> Cost {
        match &place.kind {
            ExprKind::Index(base, index) => {
                let mut cost = self.indices(base);
                let one = self.expr(index);
                cost.add(&one);
                cost
            }
            ExprKind::Field(base, _) | ExprKind::Deref(base) => self.indices(base),
            _ => Cost::default(),
        }
    }

    fn all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Cost {
        let mut cost = Cost::default();
        for expr in exprs {
            let one = self.expr(expr);
            cost.add(&one);
        }
        cost
    }

    fn expr(&mut self, expr: &Expr) -> Cost {
        match &expr.kind {
            ExprKind::Index(..) | ExprKind::Field(..) => {
                if self.is_stored(expr) {
                    let mut cost = Cost::read(self.bytes(&expr.ty));
                    let indices = self.indices(expr);
                    cost.add(&indices);
                    return cost;
                }
                match &expr.kind {
                    ExprKind::Index(base, index) => self.all([&**base, &**index]),
                    ExprKind::Field(base, _) => self.expr(base),
                    _ => Cost::default(),
                }
            }
            ExprKind::Load { kind, address, .. } => {
                let mut cost = Cost::read(kind.size().into());
                let one = self.expr(address);
                cost.add(&one);
                cost
            }
            ExprKind::Unary(_, inner) => {
                let mut cost = self.expr(inner);
                if expr.ty.scalar().is_some_and(crate::types::Scalar::is_float) {
                    cost.add(&Cost::flops(lanes(&expr.ty)));
                }
                cost
            }
            ExprKind::Cast(inner)
            | ExprKind::Repeat(inner, _)
            | ExprKind::Ref(_, inner)
            | ExprKind::Deref(inner) => self.expr(inner),
            ExprKind::Binary(op, a, b) => {
                let mut cost = self.all([&**a, &**b]);
                cost.add(&operation(*op, &expr.ty));
                cost
            }
            ExprKind::Array(args) => self.all(args),
            ExprKind::Printed(_, args) => {
                let mut cost = self.all(args);
                cost.open = true;
                cost
            }
            ExprKind::Struct(_, fields) => self.all(fields.iter().map(|(_, value)| value)),
            ExprKind::If(condition, then, otherwise) => {
                if let Some(value) = self.eval(condition) {
                    return match otherwise {
                        _ if value != 0 => self.block(then),
                        Some(otherwise) => self.expr(otherwise),
                        None => Cost::default(),
                    };
                }
                let mut cost = self.expr(condition);
                let first = self.block(then);
                let second = otherwise
                    .as_deref()
                    .map_or_else(Cost::default, |otherwise| self.expr(otherwise));
                cost.add(if second.weight() > first.weight() {
                    &second
                } else {
                    &first
                });
                cost
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Match(value, arms) => {
                let mut cost = self.expr(value);
                let arms: Vec<_> = arms.iter().map(|(_, arm)| self.expr(arm)).collect();
                let dearest = arms
                    .iter()
                    .max_by(|a, b| a.weight().total_cmp(&b.weight()));
                if let Some(dearest) = dearest {
                    cost.add(dearest);
                }
                cost
            }
            ExprKind::Instance(index, args) => self.call(*index, args),
            ExprKind::Builtin(builtin, args) => self.builtin(builtin, args, &expr.ty),
            _ => Cost::default(),
        }
    }

    fn call(&mut self, index: usize, args: &[Expr]) -> Cost {
        let mut cost = self.all(args);
        let typed = self.typed;
        let Some(instance) = typed
            .instances
            .get(index)
            .filter(|_| self.depth < MAX_DEPTH)
        else {
            return Cost::open();
        };
        let callee = &instance.function;
        let mut values = HashMap::new();
        for (param, arg) in callee.params.iter().zip(args) {
            let is_mutable = callee
                .locals
                .get(param.local.0)
                .is_some_and(|local| local.mutable);
            if let Some(value) = self.amount(arg).filter(|_| !is_mutable) {
                values.insert(param.local, value);
            }
        }
        let values = std::mem::replace(&mut self.values, values);
        let own = std::mem::take(&mut self.own);
        let consts = std::mem::take(&mut self.consts);
        let function = std::mem::replace(&mut self.function, callee);
        self.depth += 1;
        let body = self.block(&callee.body);
        self.depth -= 1;
        self.function = function;
        self.consts = consts;
        self.values = values;
        self.own = own;
        cost.add(&body);
        cost
    }

    fn builtin(&mut self, builtin: &Builtin, args: &[Expr], ty: &Type) -> Cost {
        if let Spelling::Matrix(op) = builtin.wgsl {
            return self.matrix(op, args, ty);
        }
        if builtin.effect == Effect::Atomic
            && let [place, rest @ ..] = args
        {
            let mut cost = self.indices(place);
            let values = self.all(rest);
            cost.add(&values);
            if self.is_stored(place) {
                let is = |name| builtin.name == name;
                if !is("store") {
                    cost.add(&Cost::read(4));
                }
                if !is("load") {
                    cost.add(&Cost::written(4));
                }
            }
            return cost;
        }
        let mut cost = self.all(args);
        let first = args.first().map_or(ty, |first| &first.ty);
        let is_float = |ty: &Type| ty.scalar().is_some_and(crate::types::Scalar::is_float);
        if is_float(first) {
            let lanes = lanes(first);
            let count = match (builtin.wgsl, builtin.name) {
                (_, "dot") => 2 * lanes - 1,
                (_, "mul_add") => 2 * lanes,
                (_, "length" | "distance" | "normalize") => 2 * lanes,
                (Spelling::Constructor | Spelling::Bitcast | Spelling::Trace, _)
                | (_, "select") => 0,
                _ if builtin.name.starts_with("pack") => 0,
                _ => lanes,
            };
            cost.add(&Cost::flops(count));
        }
        cost
    }

    /// What matrices do is shared by a subgroup.
    fn matrix(&mut self, op: MatrixOp, args: &[Expr], ty: &Type) -> Cost {
        let mut cost = Cost::default();
        let place = match op {
            MatrixOp::Load { .. } => args.first(),
            MatrixOp::Store { .. } => args.get(1),
            _ => None,
        };
        for arg in args {
            let is_place = place.is_some_and(|place| std::ptr::eq(place, arg));
            let one = if is_place {
                self.indices(arg)
            } else {
                self.expr(arg)
            };
            cost.add(&one);
        }
        let of = match op {
            MatrixOp::Store { .. } => args.first().map_or(ty, |matrix| &matrix.ty),
            _ => ty,
        };
        let Type::Matrix(elem, _, size) = of else {
            return cost;
        };
        let size = i128::from(*size);
        let bytes = size * size * self.bytes(elem);
        let stored = place.is_some_and(|place| self.is_stored(place));
        let shared = match op {
            MatrixOp::Load { .. } if stored => Cost::read(bytes),
            MatrixOp::Store { .. } if stored => Cost::written(bytes),
            MatrixOp::MultiplyAdd => Cost::flops(2 * size * size * size),
            _ => return cost,
        };
        let each = Amount::number(1).over(&Amount::symbol(Symbol::SubgroupSize));
        cost.add(&shared.times(&each.unwrap_or_default()));
        cost
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
    if counts && ty.scalar().is_some_and(crate::types::Scalar::is_float) {
        Cost::flops(lanes(ty))
    } else {
        Cost::default()
    }
}
