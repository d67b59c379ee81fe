//! Types of statements and blocks.

use super::Infer;
use super::unify::Kind;
use crate::diagnostic::Diagnostic;
use crate::stmt::{Block, Stmt};
use crate::types::Type;

impl Infer<'_> {
    /// The type of a block: its tail's, or that nothing comes out of it.
    pub(super) fn block(&mut self, block: &mut Block) -> Type {
        let mut ends = false;
        for stmt in &mut block.stmts {
            ends |= self.stmt(stmt);
        }
        match &mut block.tail {
            Some(tail) => {
                let ty = self.expr(tail);
                if ends { Type::Never } else { ty }
            }
            None if ends => Type::Never,
            None => Type::Unit,
        }
    }

    /// Whether control never goes past the statement.
    fn stmt(&mut self, stmt: &mut Stmt) -> bool {
        match stmt {
            Stmt::Let { local, init, .. } => {
                let declared = self.local_type(*local);
                let Some(init) = init else { return false };
                let found = self.expr(init);
                match self.table.shallow(&found) {
                    Type::Unit => {
                        self.error(Diagnostic::new(
                            init.span,
                            "expected a value, found an expression without one",
                        ));
                    }
                    Type::Slice { .. } => {
                        let diagnostic =
                            Diagnostic::new(init.span, "a slice cannot be kept in a variable");
                        self.error(diagnostic.help(
                            "index it, or pass it to a `#[device]` function, where it is used",
                        ));
                    }
                    _ => {
                        let ty = self.expect(init.span, &declared, &found);
                        if ty != Type::Error {
                            self.locals()[local.0].ty = ty;
                        }
                    }
                }
                false
            }
            Stmt::Assign {
                place,
                op,
                value,
                span,
            } => {
                let ty = self.expr(place);
                self.writable(place);
                match op {
                    None => {
                        let found = self.expr(value);
                        self.expect(value.span, &ty, &found);
                    }
                    Some(op) => {
                        let found = self.expr(value);
                        let result = self.binary(*op, *span, (place, &ty), (value, &found));
                        self.expect(value.span, &ty, &result);
                    }
                }
                false
            }
            Stmt::Expr(expr) => self.expr(expr) == Type::Never,
            Stmt::For {
                local,
                start,
                end,
                step,
                body,
                ..
            } => {
                let declared = self.local_type(*local);
                let (from, to) = (self.expr(start), self.expr(end));
                let mut ty = self.expect(end.span, &from, &to);
                if let Some(step) = step {
                    let found = self.expr(step);
                    // `step_by` takes a `usize` in Rust, so a literal fits whatever the range is.
                    ty = self.expect(step.span, &ty, &found);
                }
                let ty = self.expect(start.span, &declared, &ty);
                let int = self.table.fresh(Kind::Int);
                if ty != Type::Error && self.unify(&ty, &int).is_none() {
                    let found = self.describe(&ty);
                    let message = format!("a range counts integers, found {found}");
                    self.error(Diagnostic::new(start.span, message));
                }
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                false
            }
            Stmt::While { condition, body } => {
                let found = self.expr(condition);
                self.expect(condition.span, &Type::BOOL, &found);
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                false
            }
            Stmt::Loop { body, .. } => {
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                !breaks(body)
            }
            Stmt::Break(span) | Stmt::Continue(span) => {
                if self.loops == 0 {
                    self.error(Diagnostic::new(*span, "there is no loop around this"));
                }
                true
            }
            Stmt::Return(value, span) => {
                let ret = self
                    .function
                    .as_ref()
                    .map_or(Type::Unit, |function| function.ret.clone());
                match value {
                    Some(value) => {
                        let found = self.expr(value);
                        self.expect(value.span, &ret, &found);
                    }
                    None if ret != Type::Unit => {
                        self.error(Diagnostic::new(
                            *span,
                            format!("expected a value of type `{ret}` after `return`"),
                        ));
                    }
                    None => {}
                }
                true
            }
        }
    }
}

/// Whether a `break` of this very loop is in `body`.
fn breaks(body: &Block) -> bool {
    use crate::expr::{Expr, ExprKind};

    fn in_expr(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::If(_, then, otherwise) => {
                breaks(then) || otherwise.as_deref().is_some_and(in_expr)
            }
            ExprKind::Block(block) => breaks(block),
            ExprKind::Match(_, arms) => arms.iter().any(|(_, arm)| in_expr(arm)),
            _ => false,
        }
    }

    let in_stmt = |stmt: &Stmt| match stmt {
        Stmt::Break(_) => true,
        Stmt::Expr(expr) => in_expr(expr),
        _ => false,
    };
    body.stmts.iter().any(in_stmt) || body.tail.as_deref().is_some_and(in_expr)
}
