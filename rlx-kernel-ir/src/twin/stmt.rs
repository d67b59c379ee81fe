//! Statements and blocks.

use rlx_kernel_twin::program::{Binary, Block as Code, Op, Reg, Regs};

use super::{Binding, Lower, Result};
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::item::LocalId;
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::Type;

/// Where the value of a block goes: registers that the branches of an `if` share.
pub(super) type Merge = Option<Regs>;

impl Lower<'_> {
    /// A block; its value is copied to `merge` by those who compute it.
    pub(super) fn block(&mut self, block: &Block, merge: Merge) -> Result<()> {
        let mark = self.next;
        for stmt in &block.stmts {
            self.stmt(stmt)?;
        }
        if let Some(tail) = &block.tail {
            self.tail(tail, merge)?;
        }
        self.next = mark;
        Ok(())
    }

    /// An expression whose value goes to `merge`.
    pub(super) fn tail(&mut self, expr: &Expr, merge: Merge) -> Result<()> {
        match &expr.kind {
            ExprKind::If(condition, then, otherwise) => {
                self.branch(condition, then, otherwise.as_deref(), merge, expr.span)
            }
            ExprKind::Block(block) => self.block(block, merge),
            ExprKind::Match(value, arms) => self.select(value, arms, merge, expr.span),
            _ => {
                let mark = self.next;
                let value = self.value(expr, None)?;
                if let Some(to) = merge
                    && expr.ty != Type::Never
                {
                    let from = Regs::new(value.first, to.count);
                    self.emit(Op::Copy { to, from }, expr.span);
                }
                self.next = mark;
                Ok(())
            }
        }
    }

    pub(super) fn branch(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: Option<&Expr>,
        merge: Merge,
        span: Span,
    ) -> Result<()> {
        if let Some(value) = self.eval(condition) {
            return match otherwise {
                _ if value != 0 => self.block(then, merge),
                Some(otherwise) => self.tail(otherwise, merge),
                None => Ok(()),
            };
        }
        let mark = self.next;
        let value = self.value(condition, None)?.first;
        self.push_block(span)?;
        self.block(then, merge)?;
        let then = self.pop_block();
        self.push_block(span)?;
        if let Some(otherwise) = otherwise {
            self.tail(otherwise, merge)?;
        }
        let otherwise = self.pop_block();
        let op = Op::If {
            condition: value,
            then,
            otherwise,
        };
        self.emit(op, condition.span);
        self.next = mark;
        Ok(())
    }

    /// A `match`: its arms exclude one another, so each is a branch of its own.
    pub(super) fn select(
        &mut self,
        value: &Expr,
        arms: &[(Vec<Expr>, Expr)],
        merge: Merge,
        span: Span,
    ) -> Result<()> {
        let mark = self.next;
        // An arm may change what the value was read from.
        let kind = super::expr::scalar(&value.ty, value.span)?;
        let selector = self.alloc(super::operator::width(kind), value.span)?;
        self.value(value, Some(selector))?;
        let mut taken: Option<Reg> = None;
        for (patterns, arm) in arms {
            let condition = if patterns.is_empty() {
                let Some(taken) = taken else {
                    self.tail(arm, merge)?;
                    break;
                };
                let to = self.alloc(1, span)?;
                let not = Op::Unary {
                    op: rlx_kernel_twin::program::Unary::NotB,
                    to,
                    a: taken,
                };
                self.emit(not, span);
                to
            } else {
                let mut any: Option<Reg> = None;
                for pattern in patterns {
                    let pattern_value = self.value(pattern, None)?.first;
                    let is = self.alloc(1, pattern.span)?;
                    let operands = [selector, pattern_value];
                    self.pair(Binary::Eq, kind, is, operands, pattern.span)?;
                    any = Some(match any {
                        None => is,
                        Some(any) => self.two(Binary::Or, any, is, pattern.span)?,
                    });
                }
                let Some(any) = any else { continue };
                taken = Some(match taken {
                    None => any,
                    Some(taken) => self.two(Binary::Or, taken, any, span)?,
                });
                any
            };
            self.push_block(arm.span)?;
            let is_nothing = arm.ty == Type::Unit
                && matches!(&arm.kind, ExprKind::Array(elems) if elems.is_empty());
            if !is_nothing {
                self.tail(arm, merge)?;
            }
            let then = self.pop_block();
            let op = Op::If {
                condition,
                then,
                otherwise: Code::default(),
            };
            self.emit(op, value.span);
        }
        self.next = mark;
        Ok(())
    }

    /// `a op b` in a register of its own.
    pub(super) fn two(&mut self, op: Binary, a: Reg, b: Reg, span: Span) -> Result<Reg> {
        let to = self.alloc(1, span)?;
        self.emit(Op::Binary { op, to, a, b }, span);
        Ok(to)
    }

    pub(super) fn declare(&mut self, local: LocalId, first: Reg) {
        if let Some(frame) = self.frames.last_mut() {
            frame.locals.insert(local, Binding::Registers(first));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        let mark = self.next;
        match stmt {
            Stmt::Let { local, init, span } => {
                let function = self.frames.last().map(|frame| frame.function);
                let ty = function.and_then(|function| function.locals.get(local.0));
                let ty = ty.map_or(Type::Error, |local| local.ty.clone());
                let count = self.words(&ty, *span)?;
                let first = self.alloc(count, *span)?;
                let kept = self.next;
                if let Some(init) = init {
                    self.value(init, Some(first))?;
                }
                self.declare(*local, first);
                self.next = kept;
                return Ok(());
            }
            Stmt::Assign {
                place,
                op,
                value,
                span,
            } => self.assign(place, *op, value, *span)?,
            Stmt::Expr(expr) => self.tail(expr, None)?,
            Stmt::For { .. } => {
                if !self.unrolled(stmt)? {
                    self.counted(stmt)?;
                }
            }
            Stmt::While { condition, body } => {
                self.push_block(condition.span)?;
                let value = self.value(condition, None)?.first;
                let leave = Op::BreakIf {
                    condition: value,
                    when: false,
                };
                self.emit(leave, condition.span);
                self.block(body, None)?;
                let body = self.pop_block();
                let continuing = Code::default();
                self.emit(Op::Loop { body, continuing }, condition.span);
            }
            Stmt::Loop { body, span } => {
                self.push_block(*span)?;
                self.block(body, None)?;
                let body = self.pop_block();
                let continuing = Code::default();
                self.emit(Op::Loop { body, continuing }, *span);
            }
            Stmt::Break(span) => self.emit(Op::Break {}, *span),
            Stmt::Continue(span) => self.emit(Op::Continue {}, *span),
            Stmt::Return(value, span) => {
                let result = self.frames.last().map(|frame| frame.result);
                if let (Some(value), Some(to)) = (value, result) {
                    self.tail(value, Some(to))?;
                }
                self.emit(Op::Return {}, *span);
            }
        }
        self.next = mark;
        Ok(())
    }

    /// Rust computes the value before the place.
    fn assign(
        &mut self,
        place: &Expr,
        op: Option<BinaryOp>,
        value: &Expr,
        span: Span,
    ) -> Result<()> {
        let mut new = self.value(value, None)?;
        if !new.owned && self.acts(place) {
            // The place may change it.
            let count = self.words(&value.ty, value.span)?;
            let to = self.alloc(count, value.span)?;
            new = self.deliver(new, count, Some(to), value.span);
        }
        let target = self.place(place, true)?;
        let mut result = new.first;
        if let Some(op) = op {
            let before = self.read(&target, None, place.span)?;
            let operands = [(before.first, &place.ty), (new.first, &value.ty)];
            result = self.operate(op, operands, &place.ty, None, span)?.first;
        }
        self.write(&target, result, span)
    }

    fn counted(&mut self, stmt: &Stmt) -> Result<()> {
        let Stmt::For {
            local,
            start,
            end,
            inclusive,
            step,
            body,
            span,
            ..
        } = stmt
        else {
            return Ok(());
        };
        let kind = super::expr::scalar(&start.ty, *span)?;
        let width = super::operator::width(kind);
        // The bounds are evaluated once.
        let variable = self.alloc(width, *span)?;
        self.value(start, Some(variable))?;
        let last = self.alloc(width, *span)?;
        self.value(end, Some(last))?;
        let by = match step {
            Some(step) => {
                let by = self.alloc(width, *span)?;
                self.value(step, Some(by))?;
                by
            }
            None => self.constant_of(1, &start.ty),
        };
        self.declare(*local, variable);
        let (less, sum) = if kind.is_unsigned() {
            (Binary::LtU, Binary::AddU)
        } else {
            (Binary::LtI, Binary::AddI)
        };

        self.push_block(*span)?;
        let mark = self.next;
        let past = self.alloc(1, *span)?;
        let operands = if *inclusive {
            [last, variable]
        } else {
            [variable, last]
        };
        self.pair(less, kind, past, operands, *span)?;
        let leave = Op::BreakIf {
            condition: past,
            when: *inclusive,
        };
        self.emit(leave, *span);
        self.next = mark;
        self.block(body, None)?;
        let body = self.pop_block();

        self.push_block(*span)?;
        if *inclusive {
            // The last value may be the last of its type.
            let left = self.alloc(width, *span)?;
            self.pair(Binary::SubWrap, kind, left, [last, variable], *span)?;
            let is_last = self.alloc(1, *span)?;
            self.pair(Binary::LtU, kind, is_last, [left, by], *span)?;
            let leave = Op::BreakIf {
                condition: is_last,
                when: true,
            };
            self.emit(leave, *span);
        }
        let next = self.alloc(width, *span)?;
        self.pair(sum, kind, next, [variable, by], *span)?;
        let (to, from) = (Regs::new(variable, width), Regs::new(next, width));
        self.emit(Op::Copy { to, from }, *span);
        let continuing = self.pop_block();
        self.emit(Op::Loop { body, continuing }, *span);
        Ok(())
    }
}

/// Whether a `return` is anywhere in `body`.
pub(super) fn returns(body: &Block) -> bool {
    let in_expr = |expr: &Expr| expr_returns(expr);
    body.stmts.iter().any(stmt_returns) || body.tail.as_deref().is_some_and(in_expr)
}

fn stmt_returns(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Return(..) => true,
        Stmt::Let { init, .. } => init.as_ref().is_some_and(expr_returns),
        Stmt::Assign { value, .. } => expr_returns(value),
        Stmt::Expr(expr) => expr_returns(expr),
        Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Loop { body, .. } => {
            returns(body)
        }
        Stmt::Break(_) | Stmt::Continue(_) => false,
    }
}

/// Whether a `return` is in the branches of `expr`; one within an operand counts too.
fn expr_returns(expr: &Expr) -> bool {
    let any = |exprs: &[Expr]| exprs.iter().any(expr_returns);
    match &expr.kind {
        ExprKind::If(condition, then, otherwise) => {
            expr_returns(condition)
                || returns(then)
                || otherwise.as_deref().is_some_and(expr_returns)
        }
        ExprKind::Block(block) => returns(block),
        ExprKind::Match(value, arms) => {
            expr_returns(value) || arms.iter().any(|(_, arm)| expr_returns(arm))
        }
        ExprKind::Unary(_, inner)
        | ExprKind::Cast(inner)
        | ExprKind::Field(inner, _)
        | ExprKind::Repeat(inner, _)
        | ExprKind::Ref(_, inner)
        | ExprKind::Deref(inner)
        | ExprKind::Load { address: inner, .. } => expr_returns(inner),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => expr_returns(a) || expr_returns(b),
        ExprKind::Array(args)
        | ExprKind::Instance(_, args)
        | ExprKind::Printed(_, args)
        | ExprKind::Builtin(_, args) => any(args),
        ExprKind::Struct(_, fields) => fields.iter().any(|(_, value)| expr_returns(value)),
        _ => false,
    }
}
