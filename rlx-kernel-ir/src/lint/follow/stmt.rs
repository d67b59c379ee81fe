//! Statements.

use std::collections::BTreeSet;

use super::expr::holds;
use super::{Follower, Lanes, Value};
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::item::LocalId;
use crate::stmt::{Block, Stmt};
use crate::types::{Scalar, Type};
use crate::walk::{self, Node, root};

impl Follower<'_> {
    /// The value of a block.
    pub fn block(&mut self, block: &Block) -> Value {
        for stmt in &block.stmts {
            if self.live {
                self.stmt(stmt);
            }
        }
        match &block.tail {
            Some(tail) if self.live => self.expr(tail),
            _ => Value::Uniform,
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if self.calls.is_empty() {
            self.statement += 1;
        }
        match stmt {
            Stmt::Let { local, init, .. } => {
                let value = init.as_ref().map_or(Value::Unknown, |init| self.expr(init));
                self.set(*local, value);
            }
            Stmt::Assign {
                place, op, value, ..
            } => self.assign(place, *op, value),
            Stmt::Expr(expr) => {
                self.expr(expr);
            }
            Stmt::For {
                local,
                start,
                end,
                step,
                body,
                ..
            } => {
                let from = self.expr(start);
                let step = step
                    .as_ref()
                    .map_or(Value::number(1), |step| self.expr(step));
                let (rounds, even) = self.rounds(&from, end, &step);
                let counter = self.fresh();
                self.seen.rounds.insert(counter, rounds);
                let moved = self.apply(BinaryOp::Mul, &step, &Value::Lanes(Lanes::symbol(counter)));
                let value = self.apply(BinaryOp::Add, &from, &moved);
                self.repeat(body, even, |follower| {
                    follower.set(*local, value.clone());
                    true
                });
            }
            Stmt::While { condition, body } => {
                self.repeat(body, true, |follower| follower.expr(condition).is_uniform());
            }
            Stmt::Loop { body, .. } => self.repeat(body, false, |_| true),
            Stmt::Break(_) | Stmt::Continue(_) => self.live = false,
            Stmt::Return(value, _) => {
                let value = value.as_ref().map(|value| self.expr(value));
                if let Some(value) = value {
                    let value = match self.frame.returned.take() {
                        Some(before) => self.either(&before, &value, false),
                        None => value,
                    };
                    self.frame.returned = Some(value);
                }
                self.live = false;
            }
        }
    }

    fn assign(&mut self, place: &Expr, op: Option<BinaryOp>, value: &Expr) {
        let value = self.expr(value);
        if let Some(memory) = self.place(place) {
            self.access(memory, true, place);
            return;
        }
        match (&place.kind, op) {
            (ExprKind::Local(local), None) => self.set(*local, value),
            (ExprKind::Local(local), Some(op)) => {
                let before = self.get(*local);
                let value = self.apply(op, &before, &value);
                self.set(*local, value);
            }
            _ => {
                if let Some(local) = root(place) {
                    let before = self.get(local);
                    let value = Value::of_all([&before, &value]);
                    self.set(local, value);
                }
            }
        }
    }

    /// How often a loop goes round where that is known, at the most where its end is the least of
    /// several; and whether all lanes go round as often.
    fn rounds(&mut self, from: &Value, end: &Expr, step: &Value) -> (Option<i64>, bool) {
        let ends: Vec<Value> = match &end.kind {
            ExprKind::Builtin(builtin, args) if builtin.name == "min" => {
                args.iter().map(|arg| self.expr(arg)).collect()
            }
            _ => vec![self.expr(end)],
        };
        let (mut rounds, mut even) = (None, step.is_uniform());
        for end in &ends {
            let length = self.apply(BinaryOp::Sub, end, from);
            even &= length.is_uniform();
            if let (Value::Lanes(length), Value::Lanes(step)) = (&length, step)
                && let (Some(length), Some(step)) = (length.constant(), step.constant())
                && step > 0
            {
                rounds = Some((length + step - 1).div_euclid(step));
            }
        }
        (rounds, even)
    }

    /// Follows a loop. `head` begins a round and says whether all lanes take it; `even` whether all
    /// take as many.
    fn repeat(&mut self, body: &Block, even: bool, head: impl Fn(&mut Self) -> bool) {
        let assigned = assigned(body);
        let before = self.frame.variables.clone();
        let (active, mark) = (self.active, self.seen.accesses.len());
        // Sums of floats are of no index: not worth a second round through the body.
        let mut given_up: BTreeSet<LocalId> = assigned
            .iter()
            .copied()
            .filter(|local| self.is_float(*local))
            .collect();
        let leaves = body.breaks() || continues(body);
        if leaves {
            given_up.extend(&assigned);
        }
        loop {
            self.frame.variables.clone_from(&before);
            self.seen.accesses.truncate(mark);
            for local in &assigned {
                let value = if given_up.contains(local) {
                    Value::Unknown
                } else {
                    self.moved(&self.get(*local))
                };
                self.set(*local, value);
            }
            let entry = self.frame.variables.clone();
            let all_take_it = head(self);
            self.block(body);
            (self.active, self.live) = (active, true);
            // A variable that moves by as much in all lanes is as it was, but for a symbol.
            let lost: Vec<LocalId> = assigned
                .iter()
                .copied()
                .filter(|local| {
                    !given_up.contains(local)
                        && !entry.get(local.0).is_some_and(|entry| {
                            self.apply(BinaryOp::Sub, &self.get(*local), entry)
                                .is_uniform()
                        })
                })
                .collect();
            if lost.is_empty() || self.budget == 0 {
                self.frame.variables = entry;
                if !even || !all_take_it {
                    for local in &assigned {
                        self.set(*local, Value::Unknown);
                    }
                }
                return;
            }
            given_up.extend(lost);
        }
    }

    fn is_float(&self, local: LocalId) -> bool {
        let mut ty = match self.frame.function.locals.get(local.0) {
            Some(local) => &local.ty,
            None => return false,
        };
        while let Type::Array(elem, _) = ty {
            ty = elem;
        }
        ty.scalar().is_some_and(Scalar::is_float)
    }

    /// A value after any number of uniform steps.
    fn moved(&mut self, value: &Value) -> Value {
        match value {
            Value::Lanes(lanes) if lanes.is_uniform() => Value::Lanes(Lanes::symbol(self.fresh())),
            Value::Lanes(lanes) => {
                let moved = lanes.plus(&Lanes::symbol(self.fresh()), 1);
                moved.map_or(Value::Unknown, Value::Lanes)
            }
            Value::Vector(parts) => {
                Value::Vector(parts.iter().map(|part| self.moved(part)).collect())
            }
            other => other.clone(),
        }
    }

    /// `if`
    pub fn branches(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Expr>) -> Value {
        if let Some(value) = self.decided(condition) {
            return match otherwise {
                _ if value != 0 => self.block(then),
                Some(otherwise) => self.expr(otherwise),
                None => Value::Uniform,
            };
        }
        let value = self.expr(condition);
        let (uniform, mask) = (value.is_uniform(), holds(&value));
        let masks = mask.map_or([u32::MAX; 2], |mask| [mask, !mask]);
        self.fork(uniform, 2, |follower, arm| {
            follower.active &= masks[arm];
            if follower.active == 0 {
                follower.live = false;
                return Value::Uniform;
            }
            match otherwise {
                _ if arm == 0 => follower.block(then),
                Some(otherwise) => follower.expr(otherwise),
                None => Value::Uniform,
            }
        })
    }

    /// `match`
    pub fn choice(&mut self, value: &Expr, arms: &[(Vec<Expr>, Expr)]) -> Value {
        let uniform = self.expr(value).is_uniform();
        self.fork(uniform, arms.len(), |follower, arm| {
            arms.get(arm)
                .map_or(Value::Unknown, |(_, arm)| follower.expr(arm))
        })
    }

    /// Follows branches from one state, and meets after those that come to their end.
    fn fork(
        &mut self,
        uniform: bool,
        count: usize,
        mut arm: impl FnMut(&mut Self, usize) -> Value,
    ) -> Value {
        let (before, active) = (self.frame.variables.clone(), self.active);
        let mut met: Option<(Vec<Value>, u32, Value)> = None;
        for index in 0..count {
            self.frame.variables.clone_from(&before);
            (self.active, self.live) = (active, true);
            let value = arm(self, index);
            if !self.live {
                continue;
            }
            met = Some(match met {
                None => (self.frame.variables.clone(), self.active, value),
                Some((variables, lanes, other)) => {
                    let now = self.frame.variables.clone();
                    let pairs = variables.iter().zip(&now);
                    let joined = pairs.map(|(a, b)| self.either(a, b, uniform)).collect();
                    (
                        joined,
                        lanes | self.active,
                        self.either(&other, &value, uniform),
                    )
                }
            });
        }
        self.live = met.is_some();
        let (variables, lanes, value) = met.unwrap_or((before, active, Value::Uniform));
        self.frame.variables = variables;
        self.active = lanes;
        value
    }
}

/// The variables that a loop changes.
fn assigned(body: &Block) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    walk::nodes(body, &mut |node| {
        match node {
            Node::Stmt(Stmt::Assign { place, .. }) => {
                if !matches!(place.ty, Type::Slice { .. }) {
                    found.extend(root(place));
                }
            }
            Node::Expr(expr) => {
                if let ExprKind::Ref(true, inner) = &expr.kind {
                    found.extend(root(inner));
                }
            }
            Node::Stmt(_) => {}
        }
        true
    });
    found
}

/// Whether a `continue` is anywhere in `body`.
fn continues(body: &Block) -> bool {
    let mut found = false;
    walk::nodes(body, &mut |node| {
        found |= matches!(node, Node::Stmt(Stmt::Continue(_)));
        true
    });
    found
}
