//! How many of a workgroup's invocations take a branch.

use super::{Amount, Counter, Symbol};
use crate::builtin::{Input, Spelling};
use crate::expr::{BinaryOp, Expr, ExprKind};

impl Counter<'_> {
    /// The part of all invocations for which `condition` holds, where their places alone decide; else
    /// all of them.
    pub(super) fn share(&self, condition: &Expr) -> Amount {
        let all = Amount::number(1);
        let ExprKind::Binary(op, a, b) = &condition.kind else {
            return all;
        };
        if *op == BinaryOp::And {
            return self.share(a).times(&self.share(b));
        }
        let Some((count, bound)) = self.among(a).zip(self.eval(b)) else {
            return all;
        };
        let some = match op {
            BinaryOp::Eq => 1,
            BinaryOp::Lt => bound,
            BinaryOp::Le => bound + 1,
            _ => return all,
        };
        match count.terms() {
            // No more than there are.
            [(factors, most)] if factors.is_empty() && some >= most.above => all,
            _ => Amount::number(some).over(&count).unwrap_or(all),
        }
    }

    /// How many places there are, of which `expr` is the invocation's own.
    fn among(&self, expr: &Expr) -> Option<Amount> {
        let input = match &expr.kind {
            ExprKind::Local(local) => *self.places.get(local)?,
            _ => input(expr)?,
        };
        match input {
            Input::LocalIndex => {
                let kernel = self.module.kernel.as_ref()?;
                let is_fixed = kernel.workgroup_exprs.iter().all(Option::is_none);
                let all: i128 = kernel.workgroup_size.map(i128::from).iter().product();
                is_fixed.then(|| Amount::number(all))
            }
            Input::SubgroupLane => Some(Amount::symbol(Symbol::SubgroupSize)),
            _ => None,
        }
    }
}

/// The value of an invocation that an expression is.
pub(super) fn input(expr: &Expr) -> Option<Input> {
    match &expr.kind {
        ExprKind::Builtin(builtin, _) => match builtin.wgsl {
            Spelling::Input(input) => Some(input),
            _ => None,
        },
        _ => None,
    }
}
