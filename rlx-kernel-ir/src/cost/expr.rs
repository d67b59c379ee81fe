//! Expressions.

use std::collections::{HashMap, HashSet};

use super::{Amount, Cost, Counter, Symbol, is_stored, lanes, operation};
use crate::builtin::{Builtin, Effect, Spelling};
use crate::expr::{Expr, ExprKind};
use crate::layout;
use crate::matrix::MatrixOp;
use crate::types::{Scalar, Type};

/// Calls around a function at the most; helpers do not call themselves.
const MAX_DEPTH: usize = 32;

impl Counter<'_> {
    pub(super) fn bytes(&self, ty: &Type) -> i128 {
        let size = layout::on_device(self.module, ty);
        size.map_or(0, |(size, _)| size.into())
    }

    /// The cost of the indices of a place, which is not read itself.
    pub(super) fn indices(&mut self, place: &Expr) -> Cost {
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

    pub(super) fn all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Cost {
        let mut cost = Cost::default();
        for expr in exprs {
            let one = self.expr(expr);
            cost.add(&one);
        }
        cost
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Cost {
        match &expr.kind {
            ExprKind::Index(..) | ExprKind::Field(..) => {
                if is_stored(expr) {
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
                if expr.ty.scalar().is_some_and(Scalar::is_float) {
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
                let share = self.share(condition);
                let first = self.block(then);
                let second = otherwise
                    .as_deref()
                    .map_or_else(Cost::default, |otherwise| self.expr(otherwise));
                let whole = Amount::number(1);
                if share != whole {
                    cost.add(&first.times(&share));
                    cost.add(&second.times(&whole.plus(-1, &share)));
                } else if second.weight() > first.weight() {
                    cost.add(&second);
                } else {
                    cost.add(&first);
                }
                cost
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Match(value, arms) => {
                let mut cost = self.expr(value);
                let arms: Vec<_> = arms.iter().map(|(_, arm)| self.expr(arm)).collect();
                let dearest = arms.iter().max_by(|a, b| a.weight().total_cmp(&b.weight()));
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

    pub(super) fn call(&mut self, index: usize, args: &[Expr]) -> Cost {
        let mut cost = self.all(args);
        let typed = self.typed;
        let Some(instance) = typed
            .instances
            .get(index)
            .filter(|_| self.depth < MAX_DEPTH)
        else {
            cost.open = true;
            return cost;
        };
        let callee = &instance.function;
        let (mut values, mut own) = (HashMap::new(), HashSet::new());
        for (param, arg) in callee.params.iter().zip(args) {
            let is_mutable = callee
                .locals
                .get(param.local.0)
                .is_some_and(|local| local.mutable);
            match self.amount(arg) {
                _ if is_mutable => {}
                Some(value) => {
                    values.insert(param.local, value);
                }
                None if self.is_own_place(arg) => {
                    own.insert(param.local);
                }
                None => {}
            }
        }
        let values = std::mem::replace(&mut self.values, values);
        let own = std::mem::replace(&mut self.own, own);
        let places = std::mem::take(&mut self.places);
        let consts = std::mem::take(&mut self.consts);
        let function = std::mem::replace(&mut self.function, callee);
        self.depth += 1;
        let body = self.block(&callee.body);
        self.depth -= 1;
        self.function = function;
        self.consts = consts;
        self.values = values;
        self.own = own;
        self.places = places;
        cost.add(&body);
        cost
    }

    pub(super) fn builtin(&mut self, builtin: &Builtin, args: &[Expr], ty: &Type) -> Cost {
        if let Spelling::Matrix(op) = builtin.wgsl {
            return self.matrix(op, args, ty);
        }
        if builtin.effect == Effect::Atomic
            && let [place, rest @ ..] = args
        {
            let mut cost = self.indices(place);
            let values = self.all(rest);
            cost.add(&values);
            if is_stored(place) {
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
        let is_float = |ty: &Type| ty.scalar().is_some_and(Scalar::is_float);
        if is_float(first) {
            let lanes = lanes(first);
            let count = match (builtin.wgsl, builtin.name) {
                (_, "dot") => 2 * lanes - 1,
                (_, "mul_add" | "length" | "distance" | "normalize") => 2 * lanes,
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
    pub(super) fn matrix(&mut self, op: MatrixOp, args: &[Expr], ty: &Type) -> Cost {
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
        let stored = place.is_some_and(is_stored);
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
