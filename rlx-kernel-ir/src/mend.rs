//! What is left of a module without its poison: statements that are wrong are blanked, so that
//! later stages look at the rest.
//!
//! A variable keeps its declaration where its type is known; a condition that is wrong becomes one
//! that nothing is known of; a value that must be there becomes zero.

use crate::builtin::{Builtin, Form};
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::infer::Typed;
use crate::item::{Function, Item, Module};
use crate::poison;
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::Type;

/// The module with words in place of elements and fields that have no type.
pub fn module(module: &Module, refused: &[usize]) -> Module {
    let mut module = module.clone();
    if let Some(kernel) = &mut module.kernel {
        for (index, binding) in kernel.bindings.iter_mut().enumerate() {
            if binding.elem == Type::Error || refused.contains(&index) {
                binding.elem = Type::U32;
            }
        }
        for var in &mut kernel.workgroup {
            if var.ty == Type::Error {
                var.ty = Type::U32;
            }
        }
    }
    for item in &mut module.items {
        if let Item::Struct(structure) = item {
            for (_, ty) in &mut structure.fields {
                if *ty == Type::Error {
                    *ty = Type::U32;
                }
            }
        }
    }
    module
}

/// Blanks what is poisoned in every function.
pub fn functions(typed: &mut Typed) {
    poison::each_function(typed, &mut |function| {
        let mender = Mender {
            function: function.clone(),
        };
        let ret = mender.result().cloned();
        mender.block(&mut function.body, ret.as_ref());
        for local in &mut function.locals {
            // A declaration that has lost its value is a `var`.
            local.mutable = true;
        }
    });
}

struct Mender {
    function: Function,
}

impl Mender {
    /// The type of what the function returns; none for what has been reported.
    fn result(&self) -> Option<&Type> {
        let ret = &self.function.ret;
        (!matches!(ret, Type::Unit | Type::Error)).then_some(ret)
    }

    /// Mends a block in place; `value` is the type of the value that its tail must give.
    fn block(&self, block: &mut Block, value: Option<&Type>) {
        let mut out = Vec::new();
        for stmt in std::mem::take(&mut block.stmts) {
            self.stmt(stmt, &mut out);
        }
        if let Some(tail) = block.tail.take() {
            if poison::in_expr(&tail) {
                self.discard(*tail, &mut out);
                block.tail = value.map(|ty| Box::new(zero(ty)));
            } else {
                block.tail = Some(tail);
            }
        }
        block.stmts = out;
    }

    fn stmt(&self, stmt: Stmt, out: &mut Vec<Stmt>) {
        match stmt {
            Stmt::Let { local, init, span } => {
                let wrong = init.as_ref().is_some_and(poison::in_expr);
                let known = self
                    .function
                    .locals
                    .get(local.0)
                    .is_some_and(|local| local.ty.wgsl().is_some());
                let init = match init {
                    Some(init) if wrong => {
                        self.discard(init, out);
                        None
                    }
                    init => init,
                };
                if known {
                    out.push(Stmt::Let { local, init, span });
                }
            }
            Stmt::Assign {
                ref place,
                ref value,
                ..
            } => {
                if !poison::in_expr(place) && !poison::in_expr(value) {
                    out.push(stmt);
                }
            }
            Stmt::Expr(expr) => self.discard(expr, out),
            Stmt::For {
                local,
                start,
                end,
                inclusive,
                step,
                mut body,
                unroll,
                span,
            } => {
                let wrong = [Some(&start), Some(&end), step.as_ref()]
                    .into_iter()
                    .flatten()
                    .any(poison::in_expr);
                self.block(&mut body, None);
                if !wrong {
                    out.push(Stmt::For {
                        local,
                        start,
                        end,
                        inclusive,
                        step,
                        body,
                        unroll,
                        span,
                    });
                } else if !unroll {
                    self.stmt(
                        Stmt::Let {
                            local,
                            init: None,
                            span,
                        },
                        out,
                    );
                    out.push(Stmt::While {
                        condition: unknown(),
                        body,
                    });
                }
            }
            Stmt::While {
                condition,
                mut body,
            } => {
                self.block(&mut body, None);
                let condition = known_or_unknown(condition);
                out.push(Stmt::While { condition, body });
            }
            Stmt::Loop { mut body, span } => {
                self.block(&mut body, None);
                out.push(Stmt::Loop { body, span });
            }
            Stmt::Return(Some(value), span)
                if poison::in_expr(&value) || self.result().is_none() =>
            {
                out.push(Stmt::Return(self.result().map(zero), span));
            }
            other @ (Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(..)) => out.push(other),
        }
    }

    /// An expression as a statement: the branches of one that is wrong are kept.
    fn discard(&self, expr: Expr, out: &mut Vec<Stmt>) {
        if !poison::in_expr(&expr) {
            out.push(Stmt::Expr(expr));
            return;
        }
        let span = expr.span;
        let unit = |kind| Stmt::Expr(Expr::typed(kind, span, Type::Unit));
        match expr.kind {
            ExprKind::If(condition, mut then, otherwise) => {
                self.block(&mut then, None);
                let condition = Box::new(known_or_unknown(*condition));
                let otherwise = otherwise.map(|other| Box::new(self.branch(*other)));
                out.push(unit(ExprKind::If(condition, then, otherwise)));
            }
            ExprKind::Block(mut block) => {
                self.block(&mut block, None);
                out.push(unit(ExprKind::Block(block)));
            }
            ExprKind::Match(_, arms) => {
                for (_, arm) in arms {
                    let ExprKind::Block(then) = self.branch(arm).kind else {
                        continue;
                    };
                    let condition = Box::new(unknown());
                    out.push(unit(ExprKind::If(condition, then, None)));
                }
            }
            _ => {}
        }
    }

    fn branch(&self, expr: Expr) -> Expr {
        let span = expr.span;
        let mut stmts = Vec::new();
        self.discard(expr, &mut stmts);
        let block = Block { stmts, tail: None };
        Expr::typed(ExprKind::Block(block), span, Type::Unit)
    }
}

fn known_or_unknown(condition: Expr) -> Expr {
    if poison::in_expr(&condition) {
        unknown()
    } else {
        condition
    }
}

/// A condition that no stage decides.
fn unknown() -> Expr {
    let index = Builtin::find("local_index", Form::Function).map_or_else(
        || Expr::u32(0, Span::NONE),
        |builtin| {
            let kind = ExprKind::Builtin(builtin, Vec::new());
            Expr::typed(kind, Span::NONE, Type::U32)
        },
    );
    let zero = Expr::u32(0, Span::NONE);
    let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(index), Box::new(zero));
    Expr::typed(kind, Span::NONE, Type::BOOL)
}

/// `T()`, the zero value of a type.
fn zero(ty: &Type) -> Expr {
    let kind = Builtin::find("to_f32", Form::Function).map_or(ExprKind::Int(0), |constructor| {
        ExprKind::Builtin(constructor, Vec::new())
    });
    Expr::typed(kind, Span::NONE, ty.clone())
}
