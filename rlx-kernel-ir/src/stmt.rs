//! Statements.

use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::item::LocalId;
use crate::span::Span;

/// `{ stmts… tail }`
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Statements in order.
    pub stmts: Vec<Stmt>,
    /// The value of the block, where it has one.
    pub tail: Option<Box<Expr>>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `let x = init;`
    Let {
        /// The variable.
        local: LocalId,
        /// Its first value.
        init: Option<Expr>,
        /// The whole statement.
        span: Span,
    },
    /// `place = value;`, `place op= value;`
    Assign {
        /// What is written.
        place: Expr,
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// The new value or right operand.
        value: Expr,
        /// The whole statement.
        span: Span,
    },
    /// An expression for its effect.
    Expr(Expr),
    /// `for local in start..end` with an optional `step_by`.
    For {
        /// The loop variable.
        local: LocalId,
        /// First value.
        start: Expr,
        /// Bound.
        end: Expr,
        /// Whether the bound is included.
        inclusive: bool,
        /// The step, where it is not 1.
        step: Option<Expr>,
        /// The body.
        body: Block,
        /// Whether it is unrolled.
        unroll: bool,
        /// The loop's head.
        span: Span,
    },
    /// `while condition { … }`
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Block,
    },
    /// `loop { … }`
    Loop {
        /// The body.
        body: Block,
        /// The keyword.
        span: Span,
    },
    /// `break;`
    Break(Span),
    /// `continue;`
    Continue(Span),
    /// `return value;`
    Return(Option<Expr>, Span),
}

impl Block {
    /// Whether a `break` of the loop around the block is in it.
    pub fn breaks(&self) -> bool {
        self.stmts.iter().any(Stmt::breaks) || self.tail.as_deref().is_some_and(Expr::breaks)
    }
}

impl Stmt {
    fn breaks(&self) -> bool {
        match self {
            Self::Break(_) => true,
            Self::Expr(expr)
            | Self::Let {
                init: Some(expr), ..
            }
            | Self::Assign { value: expr, .. } => expr.breaks(),
            _ => false,
        }
    }
}

impl Expr {
    /// Whether a `break` of the loop around the expression is in it.
    pub fn breaks(&self) -> bool {
        match &self.kind {
            ExprKind::If(_, then, otherwise) => {
                then.breaks() || otherwise.as_deref().is_some_and(Self::breaks)
            }
            ExprKind::Block(block) => block.breaks(),
            ExprKind::Match(_, arms) => arms.iter().any(|(_, arm)| arm.breaks()),
            _ => false,
        }
    }
}
