//! Reading every expression below a block.

use crate::expr::{Expr, ExprKind};
use crate::stmt::{Block, Stmt};

/// Calls `visit` on every expression below `block`, outer ones first.
pub fn block<'e>(block: &'e Block, visit: &mut dyn FnMut(&'e Expr)) {
    for stmt in &block.stmts {
        statement(stmt, visit);
    }
    if let Some(tail) = &block.tail {
        expr(tail, visit);
    }
}

/// Calls `visit` on every expression of a statement, outer ones first.
pub fn statement<'e>(stmt: &'e Stmt, visit: &mut dyn FnMut(&'e Expr)) {
    match stmt {
        Stmt::Let { init, .. } => exprs(init, visit),
        Stmt::Assign { place, value, .. } => {
            expr(place, visit);
            expr(value, visit);
        }
        Stmt::Expr(value) => expr(value, visit),
        Stmt::For {
            start,
            end,
            step,
            body,
            ..
        } => {
            expr(start, visit);
            expr(end, visit);
            exprs(step, visit);
            block(body, visit);
        }
        Stmt::While { condition, body } => {
            expr(condition, visit);
            block(body, visit);
        }
        Stmt::Loop { body, .. } => block(body, visit),
        Stmt::Break(_) | Stmt::Continue(_) => {}
        Stmt::Return(value, _) => exprs(value, visit),
    }
}

/// Calls `visit` on `whole` and every expression below it, outer ones first.
pub fn expr<'e>(whole: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    visit(whole);
    match &whole.kind {
        ExprKind::Unary(_, inner)
        | ExprKind::Cast(inner)
        | ExprKind::Field(inner, _)
        | ExprKind::Repeat(inner, _)
        | ExprKind::Ref(_, inner)
        | ExprKind::Deref(inner)
        | ExprKind::Load { address: inner, .. } => expr(inner, visit),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
            expr(a, visit);
            expr(b, visit);
        }
        ExprKind::Call(_, args)
        | ExprKind::CallOf(_, _, args)
        | ExprKind::Named(_, _, args)
        | ExprKind::Array(args)
        | ExprKind::Instance(_, args)
        | ExprKind::Printed(_, args)
        | ExprKind::Builtin(_, args) => exprs(args, visit),
        ExprKind::Method(receiver, _, _, args) => {
            expr(receiver, visit);
            exprs(args, visit);
        }
        ExprKind::Struct(_, fields) => exprs(fields.iter().map(|(_, value)| value), visit),
        ExprKind::If(condition, then, otherwise) => {
            expr(condition, visit);
            block(then, visit);
            exprs(otherwise.as_deref(), visit);
        }
        ExprKind::Block(inner) => block(inner, visit),
        ExprKind::Match(value, arms) => {
            expr(value, visit);
            for (patterns, arm) in arms {
                exprs(patterns, visit);
                expr(arm, visit);
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
        | ExprKind::Table(_)
        | ExprKind::Length(_) => {}
    }
}

fn exprs<'e>(all: impl IntoIterator<Item = &'e Expr>, visit: &mut dyn FnMut(&'e Expr)) {
    for one in all {
        expr(one, visit);
    }
}
