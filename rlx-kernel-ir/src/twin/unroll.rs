//! Loops that are written out: those whose body needs the variable as a constant.

use super::{Lower, Result};
use crate::builtin::Spelling;
use crate::expr::{Expr, ExprKind};
use crate::item::LocalId;
use crate::stmt::{Block, Stmt};
use crate::walk;

impl Lower<'_> {
    /// Writes an `#[unroll]` loop out where its body needs that; says whether it has. Any other runs as
    /// a loop, which is the same and shorter.
    pub(super) fn unrolled(&mut self, stmt: &Stmt) -> Result<bool> {
        let Stmt::For {
            local,
            start,
            end,
            inclusive,
            step,
            body,
            unroll: true,
            ..
        } = stmt
        else {
            return Ok(false);
        };
        if !self.needs_constants(body) {
            return Ok(false);
        }
        let step = step.as_ref().map_or(Some(1), |step| self.eval(step));
        let (Some(from), Some(to), Some(step @ 1..)) = (self.eval(start), self.eval(end), step)
        else {
            return Ok(false);
        };
        let to = if *inclusive { to + 1 } else { to };
        let mut value = from;
        while value < to {
            let register = self.constant_of(value as u64, &start.ty);
            self.declare(*local, register);
            self.know(*local, Some(value));
            let written = self.block(body, None);
            self.know(*local, None);
            written?;
            value += step;
        }
        Ok(true)
    }

    /// Whether an exponent in `body` is no constant without the variables of loops.
    fn needs_constants(&self, body: &Block) -> bool {
        let mut needs = false;
        walk::block(body, &mut |expr| {
            needs |= exponent(expr).is_some_and(|exponent| self.eval(exponent).is_none());
        });
        needs
    }

    fn know(&mut self, local: LocalId, value: Option<i128>) {
        if let Some(frame) = self.frames.last_mut() {
            match value {
                Some(value) => frame.env.insert(local, value),
                None => frame.env.remove(local),
            }
        }
    }
}

/// The exponent of a power, which is a constant on a GPU.
fn exponent(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Builtin(builtin, args) if matches!(builtin.wgsl, Spelling::Power) => args.get(1),
        _ => None,
    }
}
