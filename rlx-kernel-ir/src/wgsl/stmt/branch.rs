//! `if` and `match` as statements.

use super::Target;
use crate::expr::{Expr, ExprKind};
use crate::span::Span;
use crate::stmt::Block;
use crate::types::Type;
use crate::wgsl::function::FunctionPrinter;
use crate::wgsl::text::Text;

impl FunctionPrinter<'_, '_> {
    pub(super) fn branch(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: Option<&Expr>,
        target: Target<'_>,
        span: Span,
    ) {
        if let Some(value) = self.eval(condition) {
            // A branch on a constant is decided here.
            if value != 0 {
                self.inline(then, target);
            } else if let Some(otherwise) = otherwise {
                match &otherwise.kind {
                    ExprKind::Block(block) => self.inline(block, target),
                    _ => self.value(otherwise, target),
                }
            }
            return;
        }
        let mut head = Text::new("if ");
        head.append(&self.expr(condition));
        head.push(" {");
        self.line(&head.marked(span));
        self.scoped(then, target);
        if let (Target::Return, Some(otherwise)) = (target, otherwise) {
            // The first branch has returned.
            self.plain("}");
            match &otherwise.kind {
                ExprKind::Block(block) => self.inline(block, target),
                _ => self.value(otherwise, target),
            }
            return;
        }
        let mut otherwise = otherwise;
        loop {
            match otherwise.map(|expr| &expr.kind) {
                None => break,
                Some(ExprKind::If(condition, then, next))
                    if !self.needs_statements(condition) && self.eval(condition).is_none() =>
                {
                    let mut head = Text::new("} else if ");
                    head.append(&self.expr(condition));
                    head.push(" {");
                    self.line(&head);
                    self.scoped(then, target);
                    otherwise = next.as_deref();
                }
                Some(ExprKind::Block(block)) => {
                    if !(block.stmts.is_empty() && block.tail.is_none()) {
                        self.plain("} else {");
                        self.scoped(block, target);
                    }
                    break;
                }
                Some(_) => {
                    self.plain("} else {");
                    self.indent += 1;
                    self.scopes.push(Vec::new());
                    if let Some(expr) = otherwise {
                        self.value(expr, target);
                    }
                    self.scopes.pop();
                    self.indent -= 1;
                    break;
                }
            }
        }
        self.plain("}");
    }

    /// A block whose braces are not needed.
    pub(super) fn inline(&mut self, block: &Block, target: Target<'_>) {
        self.block(block, target);
    }

    pub(super) fn switch(&mut self, value: &Expr, arms: &[(Vec<Expr>, Expr)], target: Target<'_>) {
        if arms.iter().any(|(_, arm)| arm.breaks()) {
            self.chain(value, arms, target);
            return;
        }
        let mut head = Text::new("switch ");
        head.append(&self.expr(value));
        head.push(" {");
        self.line(&head);
        self.indent += 1;
        for (patterns, arm) in arms {
            let mut head = Text::default();
            if patterns.is_empty() {
                head.push("default: {");
            } else {
                head.push("case ");
                for (index, pattern) in patterns.iter().enumerate() {
                    head.push(if index == 0 { "" } else { ", " });
                    head.append(&self.expr(pattern));
                }
                head.push(": {");
            }
            self.line(&head);
            self.arm(arm, target);
            self.plain("}");
        }
        self.indent -= 1;
        self.plain("}");
    }

    /// A `match` as `if` and `else if`: a `break` in a `switch` would not leave the loop around it.
    pub(super) fn chain(&mut self, value: &Expr, arms: &[(Vec<Expr>, Expr)], target: Target<'_>) {
        let value = self.stable(value, "value");
        let mut opened = false;
        for (patterns, arm) in arms {
            let mut head = Text::new(if opened { "} else " } else { "" });
            if patterns.is_empty() {
                head.push("{");
            } else {
                head.push("if ");
                for (index, pattern) in patterns.iter().enumerate() {
                    head.push(if index == 0 { "" } else { " || " });
                    head.append(&value);
                    head.push(" == ");
                    head.append(&self.expr(pattern));
                }
                head.push(" {");
            }
            self.line(&head);
            self.arm(arm, target);
            opened = true;
            if patterns.is_empty() {
                break;
            }
        }
        self.plain("}");
    }

    /// The value of an arm, in a scope of its own, between braces that the caller prints.
    pub(super) fn arm(&mut self, arm: &Expr, target: Target<'_>) {
        self.indent += 1;
        self.scopes.push(Vec::new());
        match &arm.kind {
            ExprKind::Block(block) => self.block(block, target),
            _ if arm.ty == Type::Unit
                && matches!(&arm.kind, ExprKind::Array(elems) if elems.is_empty()) => {}
            _ => self.value(arm, target),
        }
        self.scopes.pop();
        self.indent -= 1;
    }
}
