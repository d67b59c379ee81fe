//! Statements, branches and loops.

use super::facts::Mark;
use super::frame::Changed;
use super::poly::Poly;
use super::value::{Condition, Value};
use super::{Returned, Walker};
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::item::LocalId;
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::{Scalar, Type};
use crate::walk::{self, Node};
use crate::wgsl::MAX_UNROLL;

/// The head of a `for`.
struct Head<'e> {
    local: LocalId,
    start: &'e Expr,
    end: &'e Expr,
    inclusive: bool,
    step: Option<&'e Expr>,
    span: Span,
}

/// The end of one way through a branch.
struct Way {
    /// The last values of the variables that it changed.
    changed: Changed,
    value: Value,
    /// Whether control leaves before it.
    dead: bool,
}

impl Walker<'_> {
    pub(super) fn body(&mut self, block: &Block) {
        self.block(block);
    }

    /// The value of a block's tail.
    pub(super) fn block(&mut self, block: &Block) -> Value {
        for stmt in &block.stmts {
            if !self.dead {
                self.stmt(stmt);
            }
        }
        match &block.tail {
            Some(tail) if !self.dead => self.kept(tail),
            _ => Value::Unknown,
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { local, init, .. } => match init {
                Some(init) => {
                    let value = self.kept(init);
                    self.env.set(*local, value);
                }
                None => {
                    self.env.remove(*local);
                }
            },
            Stmt::Assign {
                place, op, value, ..
            } => self.assign(place, *op, value),
            Stmt::Expr(expr) => {
                self.value(expr);
            }
            Stmt::For {
                local,
                start,
                end,
                inclusive,
                step,
                body,
                unroll,
                span,
            } => {
                let head = Head {
                    local: *local,
                    start,
                    end,
                    inclusive: *inclusive,
                    step: step.as_ref(),
                    span: *span,
                };
                if !(*unroll && self.unrolled(&head, body)) {
                    self.counted(&head, body);
                }
            }
            Stmt::While { condition, body } => self.repeated(condition, body),
            Stmt::Loop { body, span } => {
                self.forget(body);
                self.round(body);
                self.dead = !may_break(body);
                self.unended(*span, Some("a `loop` ends where its body says so"));
            }
            Stmt::Break(_) | Stmt::Continue(_) => self.dead = true,
            Stmt::Return(value, _) => {
                let bound = value.as_ref().and_then(|value| {
                    let found = self.kept(value);
                    match found {
                        Value::Int(poly) => self.most_of(&poly, &value.ty),
                        _ => None,
                    }
                });
                self.returned = Some(Returned(match self.returned {
                    None => bound,
                    Some(Returned(before)) => before.zip(bound).map(|(a, b)| a.max(b)),
                }));
                self.dead = true;
            }
        }
    }

    fn assign(&mut self, place: &Expr, op: Option<BinaryOp>, value: &Expr) {
        let new = self.kept(value);
        let old = self.value(place);
        let Some(local) = walk::root(place) else {
            return;
        };
        if !matches!(place.kind, ExprKind::Local(_)) {
            self.env.remove(local);
            return;
        }
        let new = match (op, new) {
            (None, new) => new,
            (Some(op), new) if super::expr::is_int(&place.ty) => {
                self.modular(op, (old, &place.ty), (new, &value.ty), &place.ty)
            }
            _ => Value::Unknown,
        };
        let new = self.keep(new, &place.ty);
        self.env.set(local, new);
    }

    /// Says of the loop at `span` whether it ends.
    fn unended(&mut self, span: Span, reason: Option<&str>) {
        let reason = reason.map(String::from);
        let entry = self.loops.entry(span).or_insert(None);
        *entry = entry.take().or(reason);
    }

    /// Forgets the values of the variables that `body` assigns; those that it only makes smaller keep
    /// their bound.
    fn forget(&mut self, body: &Block) {
        let mut assigned = Vec::new();
        targets(body, &mut assigned);
        assigned.sort_unstable_by_key(|(local, _)| *local);
        for group in assigned.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((local, _)) = group.first() else {
                continue;
            };
            let ty = self
                .function
                .locals
                .get(local.0)
                .map(|local| local.ty.clone());
            let (before, Some(ty)) = (self.env.get(*local).cloned(), ty) else {
                continue;
            };
            match before {
                Some(Value::Int(before)) if super::expr::is_int(&ty) => {
                    let unsigned = ty.scalar().is_some_and(Scalar::is_unsigned);
                    let value = if unsigned && group.iter().all(|(_, shrinks)| *shrinks) {
                        self.below(&[&before])
                    } else {
                        self.any(&ty)
                    };
                    self.env.set(*local, Value::Int(value));
                }
                _ => self.env.remove(*local),
            }
        }
    }

    /// One round of a loop, after which nothing of it is known.
    fn round(&mut self, body: &Block) {
        let before = (self.mark(), self.env.mark());
        self.block(body);
        self.dead = false;
        self.env.rollback(before.1);
        self.back(before.0);
    }

    fn counted(&mut self, head: &Head<'_>, body: &Block) {
        let (from, to) = (self.int(head.start), self.int(head.end));
        let by = head
            .step
            .map_or_else(|| Poly::constant(1), |step| self.int(step));
        let ty = &head.start.ty;
        let last = ty
            .scalar()
            .and_then(Scalar::range)
            .map_or(0, |range| *range.end());
        let one = Poly::constant(1);
        let advances = by.plus(-1, &one).is_some_and(|by| self.is_positive(&by));
        // The first value past the range must be one of the type, or the counter begins anew. A range
        // to the last value ends all the same, but by a sum that wraps, which NVIDIA's compiler
        // takes for one that cannot: without the checks it never ends there.
        let beyond = to
            .plus(1, &by)
            .and_then(|sum| sum.plus(i128::from(head.inclusive) - 1, &one));
        let stays = beyond
            .as_ref()
            .is_some_and(|beyond| self.at_most(beyond, last));
        self.unended(
            head.span,
            match (advances, stays) {
                (false, _) => Some("its step may be 0"),
                (_, false) => {
                    Some("its counter may pass the last value of its type, and begin anew")
                }
                _ => None,
            },
        );
        self.forget(body);
        let before = self.mark();
        let counter = if advances && stays {
            let rounds = self.fresh(1 << 64);
            let moved = by.times(&rounds).and_then(|moved| moved.plus(1, &from));
            moved.unwrap_or_else(|| self.any(ty))
        } else {
            self.any(ty)
        };
        let ahead = to.plus(-1, &counter);
        let ahead = ahead.and_then(|ahead| ahead.plus(i128::from(head.inclusive) - 1, &one));
        self.facts.add(ahead);
        if advances && stays {
            self.facts.add(counter.plus(-1, &from));
        }
        self.env.set(head.local, Value::Int(counter));
        self.round(body);
        self.back(before);
    }

    fn repeated(&mut self, condition: &Expr, body: &Block) {
        self.forget(body);
        let found = self.condition(condition);
        let before = self.mark();
        self.assume(&found.yes);
        let ends = self.shrinks(body);
        self.unended(
            condition.span,
            (!ends).then_some("nothing shows that its condition stops holding"),
        );
        self.round(body);
        self.back(before);
        if !may_break(body) {
            self.assume(&found.no);
        }
    }

    /// Whether each round of a loop makes an unsigned variable smaller that is not 0 in it, once, by
    /// a division or a shift.
    fn shrinks(&self, body: &Block) -> bool {
        let mut assigned = Vec::new();
        targets(body, &mut assigned);
        let mut continues = false;
        walk::block(body, &mut |expr| {
            if let ExprKind::If(_, block, _) | ExprKind::Block(block) = &expr.kind {
                continues |= block.stmts.iter().any(|s| matches!(s, Stmt::Continue(_)));
            }
        });
        continues |= body.stmts.iter().any(|s| matches!(s, Stmt::Continue(_)));
        body.stmts.iter().any(|stmt| {
            let Stmt::Assign {
                place, op, value, ..
            } = stmt
            else {
                return false;
            };
            let ExprKind::Local(local) = place.kind else {
                return false;
            };
            let least = match op {
                Some(BinaryOp::Div) => 2,
                Some(BinaryOp::Shr) => 1,
                _ => return false,
            };
            let some = match self.env.get(local) {
                Some(Value::Int(poly)) => self.prove(poly.offset(-1)),
                _ => false,
            };
            !continues
                && some
                && assigned.iter().filter(|(other, _)| *other == local).count() == 1
                && place.ty.scalar().is_some_and(Scalar::is_unsigned)
                && self.eval(value).is_some_and(|by| by >= least && by < 32)
        })
    }

    /// The rounds of an unrolled loop; `false` where its bounds are no constants.
    fn unrolled(&mut self, head: &Head<'_>, body: &Block) -> bool {
        let step = head.step.map_or(Some(1), |step| self.eval(step));
        let (Some(from), Some(to), Some(step)) = (self.eval(head.start), self.eval(head.end), step)
        else {
            return false;
        };
        let to = to + i128::from(head.inclusive);
        if step < 1 || (to - from) / step > MAX_UNROLL {
            return false;
        }
        let mut value = from;
        while value < to && !self.dead {
            self.consts.insert(head.local, value);
            let before = self.mark();
            self.block(body);
            self.back(before);
            value += step;
        }
        self.consts.remove(head.local);
        true
    }

    pub(super) fn branches(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: Option<&Expr>,
    ) -> Value {
        if let Some(value) = self.eval(condition) {
            return match otherwise {
                _ if value != 0 => self.block(then),
                Some(otherwise) => self.kept(otherwise),
                None => Value::Unknown,
            };
        }
        let Condition { yes, no } = self.condition(condition);
        let before = (self.mark(), self.env.mark());
        self.assume(&yes);
        let first = self.block(then);
        let first = self.way(first, before);
        self.assume(&no);
        let second = otherwise.map_or(Value::Unknown, |otherwise| self.kept(otherwise));
        if first.dead {
            // What holds on the other way goes on to hold.
            return second;
        }
        let second = self.way(second, before);
        if second.dead {
            self.assume(&yes);
        }
        self.meet(first, second)
    }

    /// The end of one way, from which the walk goes back to `before`.
    fn way(&mut self, value: Value, before: ((Mark, usize), usize)) -> Way {
        let changed = self.env.rollback(before.1);
        self.back(before.0);
        Way {
            changed,
            value,
            dead: std::mem::replace(&mut self.dead, false),
        }
    }

    pub(super) fn choice(&mut self, value: &Expr, arms: &[(Vec<Expr>, Expr)]) -> Value {
        let selector = self.int(value);
        let before = (self.mark(), self.env.mark());
        let mut met: Option<Way> = None;
        for (patterns, arm) in arms {
            if let [pattern] = patterns.as_slice()
                && let Some(number) = self.eval(pattern)
                && let Value::Bool(same) =
                    self.comparison(BinaryOp::Eq, &selector, &Poly::constant(number))
            {
                self.assume(&same.yes);
            }
            let found = self.kept(arm);
            let way = self.way(found, before);
            met = Some(match met {
                None => way,
                Some(first) => {
                    let value = self.meet(first, way);
                    self.way(value, before)
                }
            });
        }
        match met {
            Some(Way {
                changed,
                value,
                dead,
            }) => {
                for (local, value) in changed {
                    self.env.change(local, value);
                }
                self.dead = dead;
                value
            }
            None => Value::Unknown,
        }
    }

    /// Goes on where two ways meet: with what holds on both.
    fn meet(&mut self, mut first: Way, mut second: Way) -> Value {
        if first.dead {
            std::mem::swap(&mut first, &mut second);
        }
        if second.dead {
            for (local, value) in first.changed {
                self.env.change(local, value);
            }
            self.dead = first.dead;
            return first.value;
        }
        let both = first.changed.iter().chain(&second.changed);
        let mut changed: Vec<_> = both.map(|(local, _)| *local).collect();
        // Atoms are made in an order that is always the same.
        changed.sort_unstable();
        changed.dedup();
        for local in changed {
            let one = |way: &mut Way| {
                let mut all = way.changed.iter_mut();
                match all.find(|(own, _)| *own == local) {
                    Some((_, value)) => value.take(),
                    None => self.env.get(local).cloned(),
                }
            };
            let (a, b) = (one(&mut first), one(&mut second));
            let ty = self
                .function
                .locals
                .get(local.0)
                .map_or(Type::Unknown, |local| local.ty.clone());
            let value = a.zip(b).and_then(|(a, b)| self.either(&a, &b, &ty));
            self.env.change(local, value);
        }
        // The value of a branch has no type here: what may be below 0 has no upper bound either.
        match (first.value, second.value) {
            (a, b) if a == b => a,
            (Value::Int(a), Value::Int(b)) => {
                let positive = |poly: &Poly| self.facts.least(poly).is_some_and(|least| least >= 0);
                if positive(&a) && positive(&b) {
                    let (a, b) = (Value::Int(a), Value::Int(b));
                    self.either(&a, &b, &Type::U32).unwrap_or_default()
                } else {
                    Value::Unknown
                }
            }
            _ => Value::Unknown,
        }
    }

    /// A value that is one of two.
    fn either(&mut self, a: &Value, b: &Value, ty: &Type) -> Option<Value> {
        if a == b {
            return Some(a.clone());
        }
        match (a, b) {
            (Value::Int(a), Value::Int(b)) => {
                let most = self.most_of(a, ty)?.max(self.most_of(b, ty)?);
                Some(Value::Int(self.fresh(most)))
            }
            _ => None,
        }
    }
}

/// Whether a `break` is anywhere in a block.
fn may_break(block: &Block) -> bool {
    fn among(block: &Block) -> bool {
        block.stmts.iter().any(|stmt| match stmt {
            Stmt::Break(_) => true,
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Loop { body, .. } => {
                among(body)
            }
            _ => false,
        })
    }

    let mut found = among(block);
    walk::block(block, &mut |expr| {
        if let ExprKind::If(_, inner, _) | ExprKind::Block(inner) = &expr.kind {
            found |= among(inner);
        }
    });
    found
}

/// The variable that an argument lends to be changed.
pub(super) fn lent(arg: &Expr) -> Option<LocalId> {
    match &arg.kind {
        ExprKind::Ref(true, place) => walk::root(place),
        // A pointer that is passed on.
        ExprKind::Local(local) if matches!(arg.ty, Type::Pointer(_)) => Some(*local),
        _ => None,
    }
}

/// The variables that a block assigns, each as often as it does, and whether an unsigned one is at most
/// what it was.
fn targets(block: &Block, out: &mut Vec<(LocalId, bool)>) {
    walk::nodes(block, &mut |node| {
        match node {
            Node::Stmt(Stmt::Assign { place, op, .. }) => {
                let shrinks = matches!(place.kind, ExprKind::Local(_))
                    && matches!(
                        op,
                        Some(BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr | BinaryOp::BitAnd)
                    );
                out.extend(walk::root(place).map(|local| (local, shrinks)));
            }
            Node::Expr(Expr {
                kind: ExprKind::Instance(_, args),
                ..
            }) => out.extend(args.iter().filter_map(lent).map(|local| (local, false))),
            _ => {}
        }
        true
    });
}
