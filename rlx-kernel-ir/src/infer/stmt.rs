//! Types of statements and blocks.

use super::Infer;
use super::unify::Kind;
use crate::diagnostic::Diagnostic;
use crate::poison;
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

    /// Whether control never goes past the statement; poisons one that is wrong as a whole.
    fn stmt(&mut self, stmt: &mut Stmt) -> bool {
        let ends = self.statement(stmt);
        if self.is_wrong() {
            poison::statement(stmt);
        }
        ends
    }

    fn statement(&mut self, stmt: &mut Stmt) -> bool {
        match stmt {
            Stmt::Let { local, init, .. } => {
                let declared = self.local_type(*local);
                let Some(init) = init else { return false };
                let found = self.expr(init);
                match self.table.shallow(&found) {
                    Type::Unit => {
                        let diagnostic = Diagnostic::new(
                            init.span,
                            "expected a value, found an expression without one",
                        );
                        self.error(diagnostic.help("end its block with the value, without a `;`"));
                        self.locals()[local.0].ty = Type::Error;
                    }
                    Type::Atomic(_) => {
                        let diagnostic =
                            Diagnostic::new(init.span, "an atomic cannot be kept in a variable");
                        self.error(diagnostic.help("read it with `.load()`"));
                        self.locals()[local.0].ty = Type::Error;
                    }
                    Type::Slice { .. } => {
                        let diagnostic =
                            Diagnostic::new(init.span, "a slice cannot be kept in a variable");
                        self.error(diagnostic.help(
                            "index it, or pass it to a `#[device]` function, where it is used",
                        ));
                        self.locals()[local.0].ty = Type::Error;
                    }
                    _ => {
                        let ty = self.expect(init, &declared, &found);
                        if ty != Type::Error || self.table.kind(&declared).is_some() {
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
                if matches!(self.table.shallow(&ty), Type::Atomic(_)) {
                    let diagnostic = Diagnostic::new(place.span, "an atomic is not assigned");
                    let help = "write `.store(value)`, or `.fetch_add(value)` and its kind";
                    self.error(diagnostic.help(help));
                    self.expr(value);
                    return false;
                }
                match op {
                    None => {
                        let found = self.expr(value);
                        self.expect(value, &ty, &found);
                    }
                    Some(op) => {
                        let found = self.expr(value);
                        let result = self.binary(*op, *span, (place, &ty), (value, &found));
                        self.expect(value, &ty, &result);
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
                let mut ty = self.expect(end, &from, &to);
                if let Some(step) = step {
                    let found = self.expr(step);
                    // `step_by` takes a `usize` in Rust, so a literal fits whatever the range is.
                    ty = self.expect(step, &ty, &found);
                }
                let ty = self.expect(start, &declared, &ty);
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
                self.expect(condition, &Type::BOOL, &found);
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                false
            }
            Stmt::Loop { body, span } => {
                if !body.breaks() && !returns(body) && !poison::in_block(body) {
                    self.error(
                        Diagnostic::new(*span, "this loop never ends, and a GPU cannot be stopped")
                            .help("leave it with `break`, or write `while` or `for`"),
                    );
                }
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                !body.breaks()
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
                        self.expect(value, &ret, &found);
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

/// Whether a `return` is anywhere in `body`.
fn returns(body: &Block) -> bool {
    let mut found = false;
    super::resolve::each_stmt(body, &mut |stmt| found |= matches!(stmt, Stmt::Return(..)));
    found
}
