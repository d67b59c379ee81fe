//! The end of inference: every variable gets its type, every literal is checked against it.

use super::Infer;
use crate::builtin::Spelling;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind, UnaryOp};
use crate::literal;
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
                    Scalar::I64 => 1 << 63,
                    Scalar::U64 => u64::MAX,
                    _ => u64::from(u32::MAX),
                };
                if *value > max {
                    let name = scalar.name();
                    let message = format!("{value} does not fit `{name}`");
                    let help = if scalar.size() == 8 {
                        "the largest integers have 64 bits"
                    } else {
                        "an integer has 32 bits unless it is `i64` or `u64`, which not every device has"
                    };
                    self.error(Diagnostic::new(expr.span, message).help(help));
                }
            }
            (ExprKind::Unary(UnaryOp::Neg, inner), Type::Scalar(scalar))
                if scalar.is_unsigned() =>
            {
                let (name, signed) = match scalar {
                    Scalar::U64 => ("u64", "i64"),
                    _ => ("u32", "i32"),
                };
                let (message, help) = match inner.kind {
                    ExprKind::Int(value) if value > 0 => (
                        format!("-{value} does not fit `{name}`"),
                        format!("write the number as an `{signed}`, such as `-1{signed}`"),
                    ),
                    _ => (
                        format!("`-` cannot be applied to `{name}`"),
                        format!("convert it with `as {signed}`"),
                    ),
                };
                self.error(Diagnostic::new(expr.span, message).help(help));
            }
            (ExprKind::Builtin(builtin, args), Type::Scalar(Scalar::F16)) => {
                if let [arg] = args.as_slice()
                    && builtin.wgsl == Spelling::Constructor
                    && let Some(text) = literal::overflows_f16(arg)
                {
                    let message = format!("{text} does not fit `f16`");
                    let diagnostic = Diagnostic::new(arg.span, message);
                    self.error(diagnostic.help("the largest f16 is 65504"));
                }
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
        | ExprKind::CallOf(_, _, args)
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
        | ExprKind::Table(_)
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
