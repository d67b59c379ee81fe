//! Statements.

use super::share::input;
use super::{Cost, Counter, is_stored, operation};
use crate::stmt::{Block, Stmt};
use crate::wgsl::MAX_UNROLL;

impl Counter<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Cost {
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

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Cost {
        match stmt {
            Stmt::Let { local, init, .. } => {
                let Some(init) = init else {
                    return Cost::default();
                };
                if let Some(input) = input(init) {
                    self.places.insert(*local, input);
                }
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
                if is_stored(place) {
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
                if let Some(rounds) = self.rounds(start, end, *inclusive, step.as_ref()) {
                    cost.add(&one.times(&rounds));
                } else {
                    cost.add(&one);
                    cost.open = true;
                }
                cost
            }
            Stmt::While { condition, body } => {
                let mut cost = self.expr(condition);
                let one = self.block(body);
                cost.add(&one);
                cost.open = true;
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
}
