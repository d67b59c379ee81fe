//! How often loops go round, and the integers that say so.

use super::{Amount, Counter, Symbol};
use crate::builtin::{Input, Spelling};
use crate::consteval;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::types::{Source, Type};

impl Counter<'_> {
    /// The rounds of a loop.
    pub(super) fn rounds(
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
    pub(super) fn is_own_place(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Hex(_) | ExprKind::Const(_) => true,
            ExprKind::Local(local) => self.own.contains(local) || self.values.contains_key(local),
            ExprKind::Binary(
                BinaryOp::Add | BinaryOp::Mul | BinaryOp::Rem | BinaryOp::Div,
                a,
                b,
            ) => self.is_own_place(a) && self.is_own_place(b),
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

    pub(super) fn eval(&self, expr: &Expr) -> Option<i128> {
        consteval::eval(self.module, &self.consts, expr)
    }

    /// The value of an integer that all invocations have alike, as an amount.
    pub(super) fn amount(&self, expr: &Expr) -> Option<Amount> {
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
}
