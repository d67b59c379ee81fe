//! What an expression takes: a place of its own, statements, or nothing.

use super::{Shape, call, is_zero};
use crate::builtin::{Effect, Spelling};
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::types::Type;
use crate::wgsl::function::FunctionPrinter;
use crate::wgsl::stmt::Target;
use crate::wgsl::template;
use crate::wgsl::text::Text;

impl FunctionPrinter<'_, '_> {
    /// An `if`, block or `match` as a value.
    pub(super) fn branching(&mut self, expr: &Expr) -> (Text, Shape) {
        if let ExprKind::If(condition, then, otherwise) = &expr.kind
            && let Some(value) = self.eval(condition)
        {
            // Decided: the block that is taken, or the `if` that follows.
            let taken = match otherwise.as_deref() {
                _ if value != 0 => Some(then),
                Some(Expr {
                    kind: ExprKind::Block(block),
                    ..
                }) => Some(block),
                Some(other) => return self.shaped(other),
                None => None,
            };
            if let Some(block) = taken
                && block.stmts.is_empty()
                && let Some(tail) = &block.tail
            {
                return self.shaped(tail);
            }
        }
        if let Some((condition, then, otherwise)) = self.as_select(expr) {
            let args = [self.expr(otherwise), self.expr(then), self.expr(condition)];
            return (call("select", &args), Shape::Atom);
        }
        if matches!(expr.ty, Type::Unit | Type::Never) {
            self.value(expr, Target::Discard);
            return (Text::default(), Shape::Atom);
        }
        let name = self.fresh("value");
        self.plain(&format!("var {name}: {};", Self::type_name(&expr.ty)));
        self.value(expr, Target::Assign(&name));
        (Text::new(name), Shape::Atom)
    }

    /// The parts of an `if` whose both values are free to compute.
    pub fn as_select<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, &'e Expr, &'e Expr)> {
        let ExprKind::If(condition, then, Some(otherwise)) = &expr.kind else {
            return None;
        };
        let ExprKind::Block(otherwise) = &otherwise.kind else {
            return None;
        };
        if !then.stmts.is_empty() || !otherwise.stmts.is_empty() {
            return None;
        }
        let (then, otherwise) = (then.tail.as_deref()?, otherwise.tail.as_deref()?);
        let plain = matches!(expr.ty, Type::Scalar(_) | Type::Vector(..));
        (plain
            && self.eval(condition).is_none()
            && !self.needs_statements(condition)
            && Self::is_simple(then)
            && Self::is_simple(otherwise))
        .then_some((condition, then, otherwise))
    }

    /// Whether `expr` is an `if`, block or `match`, to be printed as statements.
    pub fn is_branching(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::If(condition, then, otherwise) => match self.eval(condition) {
                Some(value) => {
                    let decided = if value != 0 { Some(then) } else { None };
                    match (decided, otherwise.as_deref()) {
                        (Some(block), _) => {
                            !block.stmts.is_empty()
                                || block
                                    .tail
                                    .as_deref()
                                    .is_some_and(|tail| self.is_branching(tail))
                        }
                        (None, Some(other)) => self.is_branching(other),
                        (None, None) => true,
                    }
                }
                None => true,
            },
            ExprKind::Block(block) => {
                !block.stmts.is_empty()
                    || block
                        .tail
                        .as_deref()
                        .is_none_or(|tail| self.is_branching(tail))
            }
            ExprKind::Match(..) => true,
            _ => false,
        }
    }

    /// Whether evaluating `expr` changes anything besides giving a value.
    pub fn has_effects(&self, expr: &Expr) -> bool {
        let any = |exprs: &[Expr]| exprs.iter().any(|expr| self.has_effects(expr));
        match &expr.kind {
            ExprKind::Instance(index, args) => {
                let item = self.context.typed.instances[*index].item;
                let params = self
                    .context
                    .module
                    .function(item)
                    .map_or(&[][..], |function| &function.params);
                let writes =
                    |ty: &Type| matches!(ty, Type::Pointer(_) | Type::Slice { writable: true, .. });
                params.iter().any(|param| writes(&param.ty)) || any(args)
            }
            ExprKind::Builtin(builtin, args) => builtin.effect == Effect::Atomic || any(args),
            ExprKind::Unary(_, inner)
            | ExprKind::Cast(inner)
            | ExprKind::Field(inner, _)
            | ExprKind::Deref(inner)
            | ExprKind::Repeat(inner, _)
            | ExprKind::Load { address: inner, .. } => self.has_effects(inner),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                self.has_effects(a) || self.has_effects(b)
            }
            ExprKind::Array(args) | ExprKind::Printed(_, args) => any(args),
            ExprKind::Struct(_, fields) => fields.iter().any(|(_, value)| self.has_effects(value)),
            _ => false,
        }
    }

    /// Whether evaluating `expr` takes statements.
    pub fn needs_statements(&self, expr: &Expr) -> bool {
        let any = |exprs: &[Expr]| exprs.iter().any(|expr| self.needs_statements(expr));
        match &expr.kind {
            ExprKind::If(..) | ExprKind::Block(_) | ExprKind::Match(..) => {
                self.is_branching(expr) && self.as_select(expr).is_none()
            }
            ExprKind::Unary(_, inner)
            | ExprKind::Cast(inner)
            | ExprKind::Field(inner, _)
            | ExprKind::Ref(_, inner)
            | ExprKind::Deref(inner)
            | ExprKind::Load { address: inner, .. } => self.needs_statements(inner),
            ExprKind::Struct(_, fields) => {
                fields.iter().any(|(_, value)| self.needs_statements(value))
            }
            ExprKind::Repeat(inner, _) => {
                self.needs_statements(inner) || !is_zero(inner) && !Self::is_simple(inner)
            }
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                self.needs_statements(a) || self.needs_statements(b)
            }
            ExprKind::Array(args) | ExprKind::Instance(_, args) | ExprKind::Printed(_, args) => {
                any(args)
            }
            ExprKind::Builtin(builtin, args) => {
                any(args)
                    || match builtin.wgsl {
                        Spelling::Template(text) => template::keeps(text, args),
                        Spelling::Power => self.power_needs_statements(args),
                        Spelling::Rotate { .. } => template::keeps("{0}{0}", args),
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    /// Whether `expr` costs nothing and changes nothing.
    pub(super) fn is_simple(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Hex(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Literal(_)
            | ExprKind::Local(_)
            | ExprKind::Param(_)
            | ExprKind::Const(_) => true,
            ExprKind::Unary(_, inner) | ExprKind::Field(inner, _) | ExprKind::Cast(inner) => {
                Self::is_simple(inner)
            }
            ExprKind::Binary(op, a, b) => {
                !op.is_logical()
                    && !matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && Self::is_simple(a)
                    && Self::is_simple(b)
            }
            _ => false,
        }
    }
}
