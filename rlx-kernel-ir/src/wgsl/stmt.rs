//! Statements.

mod branch;
mod counted;

pub(crate) use counted::MAX_UNROLL;

use super::function::FunctionPrinter;
use super::text::Text;
use crate::builtin::Spelling;
use crate::consteval;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::item::LocalId;
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::{Scalar, Type};

/// Where the value of a block goes.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    /// Nowhere.
    Discard,
    /// `return value;`
    Return,
    /// `name = value;`
    Assign(&'a str),
}

/// Columns of a line that is not broken.
const MAX_WIDTH: usize = 100;

impl FunctionPrinter<'_, '_> {
    pub fn body(&mut self, body: &Block, ret: &Type) {
        let target = if *ret == Type::Unit {
            Target::Discard
        } else {
            Target::Return
        };
        self.block(body, target);
        if let (Some(Stmt::Loop { span, .. }), None, Target::Return) =
            (body.stmts.last(), &body.tail, target)
        {
            // naga asks for a value after a loop that is left by `return` alone.
            let value = format!("return {}();", Self::type_name(ret));
            self.line(&Text::new(value).marked(*span));
        }
    }

    /// One line of text.
    pub fn line(&mut self, text: &Text) {
        self.out.push(&"    ".repeat(self.indent));
        if text.len() + 4 * self.indent > MAX_WIDTH {
            self.out.append(&text.wrapped(self.indent, MAX_WIDTH));
        } else {
            self.out.append(text);
        }
        self.out.push("\n");
    }

    pub fn plain(&mut self, text: &str) {
        self.line(&Text::new(text));
    }

    /// The statements of a block, in the scope that is open.
    pub fn block(&mut self, block: &Block, target: Target<'_>) {
        for stmt in &block.stmts {
            self.stmt(stmt);
            if self.leaves(stmt) {
                return;
            }
        }
        if let Some(tail) = &block.tail {
            self.value(tail, target);
        }
    }

    /// Whether `stmt` leaves its block for good, decided branches taken.
    fn leaves(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Return(..) | Stmt::Break(_) | Stmt::Continue(_) => true,
            Stmt::Expr(Expr {
                kind: ExprKind::If(condition, then, otherwise),
                ..
            }) => match (self.eval(condition), otherwise.as_deref()) {
                (Some(0), Some(otherwise)) => match &otherwise.kind {
                    ExprKind::Block(block) => block.stmts.iter().any(|stmt| self.leaves(stmt)),
                    _ => false,
                },
                (Some(0), None) | (None, _) => false,
                (Some(_), _) => then.stmts.iter().any(|stmt| self.leaves(stmt)),
            },
            _ => false,
        }
    }

    /// A block in a scope of its own, between braces that the caller prints.
    fn scoped(&mut self, block: &Block, target: Target<'_>) {
        self.indent += 1;
        self.scopes.push(Vec::new());
        self.block(block, target);
        self.scopes.pop();
        self.indent -= 1;
    }

    /// An expression as a statement, its value sent to `target`.
    pub fn value(&mut self, expr: &Expr, target: Target<'_>) {
        match &expr.kind {
            ExprKind::If(condition, then, otherwise) => {
                self.branch(condition, then, otherwise.as_deref(), target, expr.span);
            }
            ExprKind::Block(block) => {
                self.plain("{");
                self.scoped(block, target);
                self.plain("}");
            }
            ExprKind::Match(value, arms) => self.switch(value, arms, target),
            ExprKind::Builtin(builtin, args) if builtin.wgsl == Spelling::Trace => {
                self.trace(expr, args);
            }
            _ => {
                let value = self.expr(expr);
                let is_unit = matches!(expr.ty, Type::Unit | Type::Never);
                let mut text = Text::new(match target {
                    Target::Discard if is_unit || matches!(expr.kind, ExprKind::Instance(..)) => {
                        String::new()
                    }
                    Target::Discard => "_ = ".into(),
                    Target::Return => "return ".into(),
                    Target::Assign(name) => format!("{name} = "),
                });
                text.append(&value);
                text.push(";");
                self.line(&text.marked(expr.span));
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { local, init, span } => self.declaration(*local, init.as_ref(), *span),
            Stmt::Assign {
                place,
                op,
                value,
                span,
            } => {
                // Rust evaluates the value before the place, WGSL after it: what has effects, or is
                // changed by those of the place, is kept first.
                let place_acts = self.has_effects(place) && self.eval(value).is_none();
                let value = if self.has_effects(value) || place_acts {
                    self.spill(value, "value")
                } else if matches!(place.ty, Type::Matrix(..)) {
                    self.of_matrix(value).0
                } else {
                    self.expr(value)
                };
                let mut text = self.expr(place);
                text.push(&op.map_or_else(|| " = ".into(), |op| format!(" {}= ", op.text())));
                text.append(&value);
                text.push(";");
                self.line(&text.marked(*span));
            }
            Stmt::Expr(expr) => self.value(expr, Target::Discard),
            Stmt::For { unroll: true, .. } => self.unrolled(stmt),
            Stmt::For { .. } => self.counted(stmt),
            Stmt::While { condition, body } => {
                self.loops.push(true);
                if self.needs_statements(condition) {
                    self.plain("loop {");
                    self.indent += 1;
                    let condition = self.operand(condition);
                    let mut text = Text::new("if !");
                    text.append(&condition);
                    text.push(" { break; }");
                    self.line(&text);
                    self.indent -= 1;
                } else {
                    let mut head = Text::new("while ");
                    head.append(&self.expr(condition));
                    head.push(" {");
                    self.line(&head.marked(condition.span));
                }
                self.scoped(body, Target::Discard);
                self.plain("}");
                self.loops.pop();
            }
            Stmt::Loop { body, span } => {
                self.loops.push(true);
                self.line(&Text::new("loop {").marked(*span));
                self.scoped(body, Target::Discard);
                self.plain("}");
                self.loops.pop();
            }
            Stmt::Break(span) | Stmt::Continue(span) => {
                if self.loops.last() == Some(&false) {
                    let diagnostic = Diagnostic::new(
                        *span,
                        "an unrolled loop cannot be left or continued early",
                    );
                    self.diagnostics.push(
                        diagnostic
                            .help("remove `#[unroll]`, or put the rest of the body under an `if`"),
                    );
                }
                let word = if matches!(stmt, Stmt::Break(_)) {
                    "break;"
                } else {
                    "continue;"
                };
                self.line(&Text::new(word).marked(*span));
            }
            Stmt::Return(value, span) => match value {
                Some(value) => self.value(value, Target::Return),
                None => self.line(&Text::new("return;").marked(*span)),
            },
        }
    }

    fn declaration(&mut self, local: LocalId, init: Option<&Expr>, span: Span) {
        let Some(variable) = self.function.locals.get(local.0) else {
            return;
        };
        let ty = variable.ty.clone();
        let Some(init) = init else {
            let name = self.declare(local);
            self.line(&Text::new(format!("var {name}: {};", Self::type_name(&ty))).marked(span));
            return;
        };
        if self.is_branching(init) && self.as_select(init).is_none() {
            // The name must not shadow what the branches still refer to.
            let name = self.declare(local);
            self.line(&Text::new(format!("var {name}: {};", Self::type_name(&ty))).marked(span));
            self.value(init, Target::Assign(&name));
            return;
        }
        let value = self.expr(init);
        let name = self.declare(local);
        let keyword = if variable.mutable { "var" } else { "let" };
        let mut text = Text::new(format!("{keyword} {name} = "));
        text.append(&value);
        text.push(";");
        self.line(&text.marked(span));
    }

    /// `expr` as text that gives the same value however often it is evaluated.
    fn stable(&mut self, expr: &Expr, name: &str) -> Text {
        if self.is_stable(expr) {
            return self.expr(expr);
        }
        self.spill(expr, name)
    }

    /// `expr` kept in a variable of its own.
    pub fn spill(&mut self, expr: &Expr, name: &str) -> Text {
        let value = self.expr(expr);
        let name = self.fresh(name);
        let mut text = Text::new(format!("let {name} = "));
        text.append(&value);
        text.push(";");
        self.line(&text.marked(expr.span));
        Text::new(name)
    }

    /// `value` kept in a variable of its own.
    pub fn keep(&mut self, value: &Text, name: &str) -> Text {
        let name = self.fresh(name);
        let mut text = Text::new(format!("let {name} = "));
        text.append(value);
        text.push(";");
        self.line(&text);
        Text::new(name)
    }

    fn is_stable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Hex(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Literal(_)
            | ExprKind::Param(_)
            | ExprKind::Const(_) => true,
            ExprKind::Local(local) => self
                .function
                .locals
                .get(local.0)
                .is_some_and(|local| !local.mutable),
            ExprKind::Cast(inner) | ExprKind::Unary(_, inner) | ExprKind::Field(inner, _) => {
                self.is_stable(inner)
            }
            ExprKind::Binary(_, a, b) => self.is_stable(a) && self.is_stable(b),
            ExprKind::Builtin(builtin, args) => {
                matches!(builtin.wgsl, Spelling::Input(_))
                    || args.iter().all(|arg| self.is_stable(arg))
                        && builtin.effect == crate::builtin::Effect::Pure
            }
            _ => false,
        }
    }

    /// The value of a constant expression.
    pub fn eval(&self, expr: &Expr) -> Option<i128> {
        if matches!(expr.ty, Type::Scalar(Scalar::F32 | Scalar::F16)) {
            return None;
        }
        consteval::eval(self.context.module, &self.env, expr)
    }
}
