//! Poison: expressions of type [`Type::Error`]. What is wrong with them has been reported, and
//! nothing that follows from them is.

use crate::expr::{Expr, ExprKind};
use crate::infer::Typed;
use crate::infer::resolve::each_expr;
use crate::item::{Function, Item, Module};
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::{Source, Type};
use crate::walk;

/// A poisoned expression in place of one that cannot be made.
pub fn expr(span: Span) -> Expr {
    Expr::typed(ExprKind::Literal("0"), span, Type::Error)
}

/// Whether an expression, or one below it, is poisoned.
pub fn in_expr(expr: &Expr) -> bool {
    let mut found = false;
    walk::expr(expr, &mut |expr| found |= expr.ty == Type::Error);
    found
}

/// Whether an expression of a block is poisoned.
pub fn in_block(block: &Block) -> bool {
    let mut found = false;
    walk::block(block, &mut |expr| found |= expr.ty == Type::Error);
    found
}

/// Whether anything in a typed module is poisoned.
pub fn in_typed(module: &Module, typed: &Typed) -> bool {
    let kernel = module.kernel.as_ref();
    let interface = kernel.is_some_and(|kernel| {
        kernel.bindings.iter().any(|b| b.elem == Type::Error)
            || kernel.workgroup.iter().any(|var| var.ty == Type::Error)
    });
    let in_function = |function: &Function| {
        in_block(&function.body) || function.locals.iter().any(|local| local.ty == Type::Error)
    };
    let has_poison = |item: &Item| match item {
        Item::Struct(structure) => structure.fields.iter().any(|(_, ty)| *ty == Type::Error),
        _ => false,
    };
    interface
        || module.items.iter().any(has_poison)
        || typed.kernel.as_ref().is_some_and(in_function)
        || typed.instances.iter().any(|i| in_function(&i.function))
}

/// Poisons a statement in which something is wrong as a whole.
pub fn statement(stmt: &mut Stmt) {
    match stmt {
        Stmt::Let {
            init: Some(value), ..
        }
        | Stmt::Assign { value, .. }
        | Stmt::Expr(value)
        | Stmt::For { start: value, .. }
        | Stmt::While {
            condition: value, ..
        }
        | Stmt::Return(Some(value), _) => value.ty = Type::Error,
        Stmt::Break(span) | Stmt::Continue(span) => *stmt = Stmt::Expr(expr(*span)),
        Stmt::Return(value @ None, span) => *value = Some(expr(*span)),
        Stmt::Let { init: None, .. } | Stmt::Loop { .. } => {}
    }
}

/// Poisons what lies at any of `spans`; whether there was any.
pub fn mark(typed: &mut Typed, spans: &[Span]) -> bool {
    let mut found = false;
    each_function(typed, &mut |function| {
        statements(&mut function.body, spans, &mut found);
        each_expr(&mut function.body, &mut |expr| {
            if spans.contains(&expr.span) && expr.ty != Type::Error {
                expr.ty = Type::Error;
                found = true;
            }
            match &mut expr.kind {
                ExprKind::If(_, block, _) | ExprKind::Block(block) => {
                    statements(block, spans, &mut found);
                }
                _ => {}
            }
        });
    });
    found
}

/// Poisons every use of the bindings in `refused`.
pub fn bindings(typed: &mut Typed, refused: &[usize]) {
    let is_refused =
        |source: &Source| matches!(source, Source::Binding(index) if refused.contains(index));
    each_function(typed, &mut |function| {
        each_expr(&mut function.body, &mut |expr| {
            let uses = match (&expr.kind, &expr.ty) {
                (ExprKind::Binding(index), _) => refused.contains(index),
                (ExprKind::Load { source, .. } | ExprKind::Length(source), _)
                | (
                    _,
                    Type::Slice {
                        source: Some(source),
                        ..
                    },
                ) => is_refused(source),
                _ => false,
            };
            if uses {
                expr.ty = Type::Error;
            }
        });
    });
}

pub(crate) fn each_function(typed: &mut Typed, visit: &mut dyn FnMut(&mut Function)) {
    typed.kernel.iter_mut().for_each(&mut *visit);
    for instance in &mut typed.instances {
        visit(&mut instance.function);
    }
}

/// Poisons the statements of a block, and of the loops in it, that lie at any of `spans`.
fn statements(block: &mut Block, spans: &[Span], found: &mut bool) {
    for stmt in &mut block.stmts {
        let hit = match &*stmt {
            Stmt::Let { span, .. }
            | Stmt::Assign { span, .. }
            | Stmt::For { span, .. }
            | Stmt::Break(span)
            | Stmt::Continue(span)
            | Stmt::Return(_, span) => spans.contains(span),
            Stmt::Expr(_) | Stmt::While { .. } | Stmt::Loop { .. } => false,
        };
        if hit {
            statement(stmt);
            *found = true;
        }
        if let Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Loop { body, .. } = stmt {
            statements(body, spans, found);
        }
    }
}
