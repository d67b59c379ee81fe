//! Statements.

use super::cause::{Branch, Cause, Value, left};
use super::flow::{Exits, Flow};
use super::{Round, Walker};
use crate::consteval;
use crate::expr::{Expr, ExprKind};
use crate::item::LocalId;
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::{Scalar, Type};
use crate::wgsl::MAX_UNROLL;
use std::rc::Rc;

/// What is assigned.
#[derive(Default)]
pub(super) struct Place {
    /// The variable; none for memory.
    pub local: Option<LocalId>,
    /// Whether the rest of the variable keeps its value.
    partial: bool,
    /// The indices.
    pub indices: Value,
}

impl Walker<'_, '_> {
    /// A block; the value of its tail.
    pub fn block(&mut self, block: &Block) -> Value {
        self.stmts(block);
        match &block.tail {
            Some(tail) if self.flow.live => self.value(tail),
            _ => None,
        }
    }

    /// A block whose tail is what the function returns.
    pub fn returned_block(&mut self, block: &Block) {
        self.stmts(block);
        if let Some(tail) = &block.tail
            && self.flow.live
        {
            self.returned(tail);
        }
    }

    fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            // The specification does not look at what no control reaches.
            if self.flow.live {
                self.stmt(stmt);
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { local, init, span } => {
                let value = match init {
                    Some(init) => self.value(init),
                    None => self.flow.control.clone(),
                };
                self.assign(*local, value, *span);
            }
            Stmt::Assign {
                place,
                op,
                value,
                span,
            } => {
                let value = self.expr(value);
                let place = self.place(place);
                if let Some(local) = place.local {
                    let kept = if place.partial || op.is_some() {
                        self.flow.get(local)
                    } else {
                        None
                    };
                    let value = kept.or(value).or(place.indices);
                    self.assign(local, value.or(self.flow.control.clone()), *span);
                }
            }
            Stmt::Expr(expr) => {
                self.expr(expr);
            }
            Stmt::For {
                local,
                start,
                end,
                step,
                body,
                unroll,
                span,
                ..
            } => {
                if *unroll && self.unrolled(stmt) {
                    return;
                }
                let (start, end) = (self.value(start), self.value(end));
                let step = step.as_ref().and_then(|step| self.value(step));
                let counter = start.or(step);
                self.repeat(*span, body, true, |walker| {
                    walker.assign(*local, counter.clone(), *span);
                    counter.clone().or(end.clone())
                });
            }
            Stmt::While { condition, body } => {
                self.repeat(condition.span, body, true, |walker| walker.expr(condition));
            }
            Stmt::Loop { body, span } => self.repeat(*span, body, false, |_| None),
            Stmt::Break(span) => {
                if let Some(round) = self.rounds.last_mut() {
                    round.breaks.join(&self.flow);
                }
                self.exits.breaks.get_or_insert(*span);
                self.flow.live = false;
            }
            Stmt::Continue(span) => {
                if let Some(round) = self.rounds.last_mut() {
                    round.continues.join(&self.flow);
                }
                self.exits.continues.get_or_insert(*span);
                self.flow.live = false;
            }
            Stmt::Return(Some(value), _) => self.returned(value),
            Stmt::Return(None, span) => self.leave(None, *span),
        }
    }

    /// Gives a variable its value.
    pub fn assign(&mut self, local: LocalId, value: Value, span: Span) {
        let value = value.map(|by| match &*by {
            // It has been so before.
            Cause::Assigned { local: same, .. } if *same == local => by,
            _ => Rc::new(Cause::Assigned {
                local,
                name: self.name(local),
                span,
                by,
            }),
        });
        self.flow.set(local, value);
    }

    /// The place that `expr` names.
    pub fn place(&mut self, expr: &Expr) -> Place {
        match &expr.kind {
            ExprKind::Local(local) if !matches!(expr.ty, Type::Slice { .. }) => Place {
                local: Some(*local),
                ..Place::default()
            },
            ExprKind::Index(base, index) => {
                let place = self.place(base);
                let index = self.expr(index);
                Place {
                    partial: true,
                    indices: place.indices.or(index),
                    ..place
                }
            }
            ExprKind::Field(base, _) => Place {
                partial: true,
                ..self.place(base)
            },
            ExprKind::Deref(base) | ExprKind::Ref(_, base) => self.place(base),
            _ => Place::default(),
        }
    }

    /// The function returns `value` at `span`.
    fn leave(&mut self, value: Value, span: Span) {
        self.ret = self.ret.take().or(value);
        self.returns.join(&self.flow);
        self.exits.returns.get_or_insert(span);
        self.flow.live = false;
    }

    /// The function returns the value of `expr`, printed as the branches of `expr` that return.
    fn returned(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::If(condition, then, Some(otherwise)) => {
                if let Some(value) = self.eval(condition) {
                    if value == 0 {
                        self.returned(otherwise);
                    } else {
                        self.returned_block(then);
                    }
                    return;
                }
                let value = self.expr(condition);
                let control = Branch::If.on(value, condition.span);
                let inside = self.flow.control.clone().or(control);
                // Printed as `if c { return a; } return b;`: what differs in the first branch
                // differs in the second.
                self.fork(&inside, 2, |walker, arm| {
                    if arm == 0 {
                        walker.returned_block(then);
                    }
                    None
                });
                if inside.is_some() {
                    self.flow.control = inside;
                }
                if self.flow.live {
                    self.returned(otherwise);
                }
            }
            ExprKind::Match(value, arms) => {
                let selector = self.expr(value);
                let control = Branch::Match.on(selector, value.span);
                self.fork(&control, arms.len(), |walker, arm| {
                    walker.returned(&arms[arm].1);
                    None
                });
            }
            ExprKind::Block(block) => self.returned_block(block),
            _ => {
                let value = self.value(expr);
                if self.flow.live {
                    self.leave(value, expr.span);
                }
            }
        }
    }

    /// Follows `count` branches from one state under `control`, and meets after them; gives the
    /// value of the branches.
    pub fn fork(
        &mut self,
        control: &Value,
        count: usize,
        mut arm: impl FnMut(&mut Self, usize) -> Value,
    ) -> Value {
        let before = self.flow.clone();
        let outside = std::mem::take(&mut self.exits);
        let mut after = Flow::unreached();
        let (mut end, mut value) = (None, None);
        for index in 0..count {
            self.flow = before.clone();
            self.flow.control = self.flow.control.take().or_else(|| control.clone());
            let found = arm(self, index);
            if self.flow.live {
                value = value.or(found);
            }
            after.join(&self.flow);
            end = end.or(self.flow.control.take());
        }
        // Invocations meet again, unless a branch leads elsewhere.
        after.control = before.control.or_else(|| left(self.exits.any(), end));
        self.flow = after;
        self.exits = outside.and(self.exits);
        value
    }

    /// Follows the rounds of a loop until nothing changes any more. `head` is what happens before
    /// each round, and gives the condition, if there is one.
    fn repeat(
        &mut self,
        span: Span,
        body: &Block,
        conditional: bool,
        head: impl Fn(&mut Self) -> Value,
    ) {
        let outside = std::mem::take(&mut self.exits);
        let before = self.flow.control.clone();
        let mark = self.problems.len();
        let mut start = self.flow.clone();
        loop {
            self.problems.truncate(mark);
            self.exits = Exits::default();
            self.flow = start.clone();
            self.rounds.push(Round {
                breaks: Flow::unreached(),
                continues: Flow::unreached(),
            });
            let condition = Branch::Loop.on(head(self), span);
            let mut after = Flow::unreached();
            if conditional {
                after.join(&self.flow);
                self.flow.control = self.flow.control.take().or(condition);
            }
            self.block(body);
            let mut next = start.clone();
            next.join(&self.flow);
            next.control = next.control.or(self.flow.control.take());
            if let Some(round) = self.rounds.pop() {
                next.join(&round.continues);
                after.join(&round.breaks);
            }
            if next.agrees(&start) {
                // Invocations meet again, unless some return.
                let exits = self.exits.past_loop();
                after.control = before.or_else(|| left(exits.any(), next.control));
                self.flow = after;
                self.exits = outside.and(exits);
                return;
            }
            start = next;
        }
    }

    /// The rounds of an unrolled loop, one after the other; `false` where the printer refuses it.
    fn unrolled(&mut self, stmt: &Stmt) -> bool {
        let Stmt::For {
            local,
            start,
            end,
            inclusive,
            step,
            body,
            ..
        } = stmt
        else {
            return false;
        };
        let step = step.as_ref().map_or(Some(1), |step| self.eval(step));
        let (Some(from), Some(to), Some(step)) = (self.eval(start), self.eval(end), step) else {
            return false;
        };
        let to = if *inclusive { to + 1 } else { to };
        if step < 1 || (to - from) / step > MAX_UNROLL {
            return false;
        }
        let mut value = from;
        while value < to {
            self.env.insert(*local, value);
            if self.flow.live {
                self.block(body);
            }
            value += step;
        }
        self.env.remove(*local);
        true
    }

    /// The value of an expression that is decided at compile time, as the printer sees it.
    pub fn eval(&self, expr: &Expr) -> Option<i128> {
        if matches!(expr.ty, Type::Scalar(Scalar::F32 | Scalar::F16)) {
            return None;
        }
        consteval::eval(self.analysis.module, &self.env, expr)
    }
}
