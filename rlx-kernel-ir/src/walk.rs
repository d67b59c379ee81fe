//! Every statement and expression of a body, from the outside in.

use crate::expr::{Expr, ExprKind};
use crate::item::LocalId;
use crate::stmt::{Block, Stmt};

/// A statement or an expression.
#[derive(Clone, Copy)]
pub enum Node<'b> {
    /// A statement.
    Stmt(&'b Stmt),
    /// An expression.
    Expr(&'b Expr),
}

/// Calls `visit` on every expression below `block`, outer ones first.
pub fn block<'e>(block: &'e Block, visit: &mut dyn FnMut(&'e Expr)) {
    nodes(block, &mut exprs(visit));
}

/// Calls `visit` on `whole` and every expression below it, outer ones first.
pub fn expr<'e>(whole: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    nodes_of(whole, &mut exprs(visit));
}

fn exprs<'e>(visit: &mut dyn FnMut(&'e Expr)) -> impl FnMut(Node<'e>) -> bool {
    move |node| {
        if let Node::Expr(expr) = node {
            visit(expr);
        }
        true
    }
}

/// Shows `visit` what is in `block`; it says whether to go on inside.
pub fn nodes<'b>(block: &'b Block, visit: &mut dyn FnMut(Node<'b>) -> bool) {
    for one in &block.stmts {
        of_stmt(one, visit);
    }
    if let Some(tail) = &block.tail {
        nodes_of(tail, visit);
    }
}

fn of_stmt<'b>(stmt: &'b Stmt, visit: &mut dyn FnMut(Node<'b>) -> bool) {
    if !visit(Node::Stmt(stmt)) {
        return;
    }
    match stmt {
        Stmt::Let { init, .. } => each(init, visit),
        Stmt::Assign { place, value, .. } => {
            nodes_of(place, visit);
            nodes_of(value, visit);
        }
        Stmt::Expr(inner) => nodes_of(inner, visit),
        Stmt::For {
            start,
            end,
            step,
            body,
            ..
        } => {
            nodes_of(start, visit);
            nodes_of(end, visit);
            each(step, visit);
            nodes(body, visit);
        }
        Stmt::While { condition, body } => {
            nodes_of(condition, visit);
            nodes(body, visit);
        }
        Stmt::Loop { body, .. } => nodes(body, visit),
        Stmt::Break(_) | Stmt::Continue(_) => {}
        Stmt::Return(value, _) => each(value, visit),
    }
}

/// As [`nodes`], for an expression and what is in it.
pub fn nodes_of<'b>(one: &'b Expr, visit: &mut dyn FnMut(Node<'b>) -> bool) {
    if !visit(Node::Expr(one)) {
        return;
    }
    match &one.kind {
        ExprKind::Unary(_, inner)
        | ExprKind::Cast(inner)
        | ExprKind::Field(inner, _)
        | ExprKind::Repeat(inner, _)
        | ExprKind::Ref(_, inner)
        | ExprKind::Deref(inner)
        | ExprKind::Load { address: inner, .. } => nodes_of(inner, visit),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
            nodes_of(a, visit);
            nodes_of(b, visit);
        }
        ExprKind::Call(_, args)
        | ExprKind::CallOf(_, _, args)
        | ExprKind::Named(_, _, args)
        | ExprKind::Array(args)
        | ExprKind::Instance(_, args)
        | ExprKind::Printed(_, args)
        | ExprKind::Builtin(_, args) => each(args, visit),
        ExprKind::Method(receiver, _, _, args) => {
            nodes_of(receiver, visit);
            each(args, visit);
        }
        ExprKind::Struct(_, fields) => each(fields.iter().map(|(_, field)| field), visit),
        ExprKind::If(condition, then, otherwise) => {
            nodes_of(condition, visit);
            nodes(then, visit);
            each(otherwise.as_deref(), visit);
        }
        ExprKind::Block(inner) => nodes(inner, visit),
        ExprKind::Match(value, arms) => {
            nodes_of(value, visit);
            for (patterns, arm) in arms {
                each(patterns, visit);
                nodes_of(arm, visit);
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

fn each<'b>(all: impl IntoIterator<Item = &'b Expr>, visit: &mut dyn FnMut(Node<'b>) -> bool) {
    for one in all {
        nodes_of(one, visit);
    }
}

/// The variable that a place is, or is a part of.
pub fn root(place: &Expr) -> Option<LocalId> {
    match &place.kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::Index(base, _)
        | ExprKind::Field(base, _)
        | ExprKind::Ref(_, base)
        | ExprKind::Deref(base) => root(base),
        _ => None,
    }
}
