//! The end of inference: every variable gets its type, every literal is checked against it.

use super::Infer;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind, UnaryOp};
use crate::stmt::{Block, Stmt};
use crate::types::{Scalar, Type};

impl Infer<'_> {
    pub(super) fn resolve_body(&mut self, body: &mut Block) {
        each_expr(body, &mut |expr| {
            expr.ty = self.table.settled(&expr.ty);
            self.check_literal(expr);
            if self.is_wrong() {
                expr.ty = Type::Error;
            }
        });
    }

    fn check_literal(&mut self, expr: &Expr) {
        match (&expr.kind, &expr.ty) {
            (ExprKind::Int(value) | ExprKind::Hex(value), Type::Scalar(scalar)) => {
                // -2147483648 is `-` of a literal that no i32 holds.
                let max = match scalar {
                    Scalar::I32 => 1 << 31,
                    _ => u64::from(u32::MAX),
                };
                if *value > max {
                    let name = scalar.name();
                    let message = format!("{value} does not fit `{name}`");
                    self.error(
                        Diagnostic::new(expr.span, message).help("integers on a GPU have 32 bits"),
                    );
                }
            }
            (ExprKind::Unary(UnaryOp::Neg, inner), Type::Scalar(Scalar::U32)) => {
                let (message, help) = match inner.kind {
                    ExprKind::Int(value) if value > 0 => (
                        format!("-{value} does not fit `u32`"),
                        "write the number as an `i32`, such as `-1i32`",
                    ),
                    _ => (
                        "`-` cannot be applied to `u32`".to_string(),
                        "convert it with `as i32`",
                    ),
                };
                self.error(Diagnostic::new(expr.span, message).help(help));
            }
            (ExprKind::Array(elems), _) if elems.is_empty() => {
                self.error(Diagnostic::new(
                    expr.span,
                    "an array has at least one element",
                ));
            }
            (ExprKind::Float(text), _) if !text.parse::<f32>().is_ok_and(f32::is_finite) => {
                let message = format!("{text} does not fit `f32`");
                self.error(
                    Diagnostic::new(expr.span, message).help("the largest f32 is 3.4028235e38"),
                );
            }
            _ => {}
        }
    }
}

/// Calls `visit` on every expression below `block`, inner ones first.
pub(crate) fn each_expr(block: &mut Block, visit: &mut dyn FnMut(&mut Expr)) {
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Let { init, .. } => init.iter_mut().for_each(|init| in_expr(init, visit)),
            Stmt::Assign { place, value, .. } => {
                in_expr(place, visit);
                in_expr(value, visit);
            }
            Stmt::Expr(expr) => in_expr(expr, visit),
            Stmt::For {
                start,
                end,
                step,
                body,
                ..
            } => {
                in_expr(start, visit);
                in_expr(end, visit);
                if let Some(step) = step {
                    in_expr(step, visit);
                }
                each_expr(body, visit);
            }
            Stmt::While { condition, body } => {
                in_expr(condition, visit);
                each_expr(body, visit);
            }
            Stmt::Loop { body, .. } => each_expr(body, visit),
            Stmt::Break(_) | Stmt::Continue(_) => {}
            Stmt::Return(value, _) => value.iter_mut().for_each(|value| in_expr(value, visit)),
        }
    }
    if let Some(tail) = &mut block.tail {
        in_expr(tail, visit);
    }
}

fn in_expr(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match &mut expr.kind {
        ExprKind::Unary(_, inner)
        | ExprKind::Cast(inner)
        | ExprKind::Field(inner, _)
        | ExprKind::Repeat(inner, _)
        | ExprKind::Ref(_, inner)
        | ExprKind::Deref(inner)
        | ExprKind::Load { address: inner, .. } => in_expr(inner, visit),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
            in_expr(a, visit);
            in_expr(b, visit);
        }
        ExprKind::Call(_, args)
        | ExprKind::Named(_, _, args)
        | ExprKind::Array(args)
        | ExprKind::Instance(_, args)
        | ExprKind::Printed(_, args)
        | ExprKind::Builtin(_, args) => args.iter_mut().for_each(|arg| in_expr(arg, visit)),
        ExprKind::Method(receiver, _, _, args) => {
            in_expr(receiver, visit);
            for arg in args {
                in_expr(arg, visit);
            }
        }
        ExprKind::Struct(_, fields) => {
            for (_, value) in fields {
                in_expr(value, visit);
            }
        }
        ExprKind::If(condition, then, otherwise) => {
            in_expr(condition, visit);
            each_expr(then, visit);
            if let Some(otherwise) = otherwise {
                in_expr(otherwise, visit);
            }
        }
        ExprKind::Block(block) => each_expr(block, visit),
        ExprKind::Match(value, arms) => {
            in_expr(value, visit);
            for (patterns, arm) in arms {
                for pattern in patterns {
                    in_expr(pattern, visit);
                }
                in_expr(arm, visit);
            }
        }
        ExprKind::Int(_)
        | ExprKind::Hex(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Local(_)
        | ExprKind::Binding(_)
        | ExprKind::Param(_)
        | ExprKind::Workgroup(_)
        | ExprKind::Const(_)
        | ExprKind::Literal(_)
        | ExprKind::Length(_) => {}
    }
    visit(expr);
}

/// Calls `visit` on every statement below `block`, but for those inside expressions that have a
/// value.
pub(super) fn each_stmt(block: &Block, visit: &mut dyn FnMut(&Stmt)) {
    fn branches(expr: &Expr, visit: &mut dyn FnMut(&Stmt)) {
        match &expr.kind {
            ExprKind::If(_, then, otherwise) => {
                each_stmt(then, visit);
                if let Some(otherwise) = otherwise {
                    branches(otherwise, visit);
                }
            }
            ExprKind::Block(block) => each_stmt(block, visit),
            ExprKind::Match(_, arms) => arms.iter().for_each(|(_, arm)| branches(arm, visit)),
            _ => {}
        }
    }

    for stmt in &block.stmts {
        visit(stmt);
        match stmt {
            Stmt::Expr(expr) => branches(expr, visit),
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Loop { body, .. } => {
                each_stmt(body, visit);
            }
            _ => {}
        }
    }
    if let Some(tail) = &block.tail {
        branches(tail, visit);
    }
}
