//! `unreachable_code`

use super::{Form, Subject};
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::walk::{self, Node};

/// The first statement, in each block, that comes after one which never ends.
pub(super) fn check(subject: &Subject<'_>) -> Vec<(Form, Diagnostic)> {
    let mut found = Vec::new();
    in_block(&subject.function.body, &mut found);
    walk::nodes(&subject.function.body, &mut |node| {
        match node {
            Node::Stmt(
                Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Loop { body, .. },
            ) => in_block(body, &mut found),
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Block(block) => in_block(block, &mut found),
                ExprKind::If(_, then, _) => in_block(then, &mut found),
                _ => {}
            },
            Node::Stmt(_) => {}
        }
        true
    });
    found
}

fn in_block(block: &Block, found: &mut Vec<(Form, Diagnostic)>) {
    let end = block.stmts.iter().position(|stmt| end(stmt).is_some());
    let Some((index, cause)) = end.and_then(|index| Some((index, self::end(&block.stmts[index])?)))
    else {
        return;
    };
    let after = match (block.stmts.get(index + 1), &block.tail) {
        (Some(stmt), _) => place(stmt),
        (None, Some(tail)) => tail.span,
        (None, None) => return,
    };
    let diagnostic = Diagnostic::new(after, "unreachable statement")
        .note(cause, "any code after what is {} is unreachable");
    found.push((Form::Unreachable, diagnostic));
}

/// What keeps control from going past a statement.
fn end(stmt: &Stmt) -> Option<Span> {
    match stmt {
        Stmt::Return(_, span) | Stmt::Break(span) | Stmt::Continue(span) => Some(*span),
        Stmt::Loop { body, span } if !body.breaks() => Some(*span),
        Stmt::Expr(expr) => end_of(expr),
        _ => None,
    }
}

fn end_of(expr: &Expr) -> Option<Span> {
    let in_block = |block: &Block| {
        let tail = || block.tail.as_deref().and_then(end_of);
        block.stmts.iter().find_map(end).or_else(tail)
    };
    match &expr.kind {
        ExprKind::Block(block) => in_block(block),
        ExprKind::If(_, then, Some(otherwise)) => {
            in_block(then)?;
            end_of(otherwise)?;
            Some(expr.span)
        }
        ExprKind::Match(_, arms) => {
            let all = arms.iter().all(|(_, arm)| end_of(arm).is_some());
            (all && !arms.is_empty()).then_some(expr.span)
        }
        _ => None,
    }
}

/// Where a statement is.
fn place(stmt: &Stmt) -> Span {
    match stmt {
        Stmt::Let { span, .. }
        | Stmt::Assign { span, .. }
        | Stmt::For { span, .. }
        | Stmt::Loop { span, .. }
        | Stmt::Break(span)
        | Stmt::Continue(span)
        | Stmt::Return(_, span) => *span,
        Stmt::Expr(expr) => expr.span,
        Stmt::While { condition, .. } => condition.span,
    }
}
