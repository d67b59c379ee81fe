//! Operators and casts.

use super::element;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::infer::Infer;
use crate::infer::unify::Kind;
use crate::span::Span;
use crate::types::{Scalar, Type};

impl Infer<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, span: Span, found: &Type) -> Type {
        let ty = self.table.deep(found);
        let elem = element(&ty);
        let kind = self.table.kind(elem);
        let fits = match op {
            UnaryOp::Neg => {
                kind.is_some()
                    || elem
                        .scalar()
                        .is_some_and(|scalar| scalar != Scalar::Bool && !scalar.is_unsigned())
            }
            UnaryOp::Not => {
                kind == Some(Kind::Int)
                    || elem
                        .scalar()
                        .is_some_and(|scalar| scalar.is_int() || scalar == Scalar::Bool)
            }
        };
        if fits || ty == Type::Error {
            return ty;
        }
        let found = self.describe(&ty);
        let (sign, help) = match op {
            UnaryOp::Neg if matches!(ty, Type::Matrix(..)) => {
                ("-", "multiply it by -1: `-1.0 * c`")
            }
            UnaryOp::Neg => (
                "-",
                "an unsigned number has no sign: convert it with `as i32`, or write `0u32.wrapping_sub(x)`",
            ),
            UnaryOp::Not => ("!", "`!` is for integers and `bool`"),
        };
        self.error(
            Diagnostic::new(span, format!("`{sign}` cannot be applied to {found}")).help(help),
        )
    }

    /// The type of `left op right`.
    pub(in crate::infer) fn binary(
        &mut self,
        op: BinaryOp,
        span: Span,
        left: (&Expr, &Type),
        right: (&Expr, &Type),
    ) -> Type {
        let (a, b) = (self.table.deep(left.1), self.table.deep(right.1));
        if a == Type::Error || b == Type::Error {
            return if op.is_comparison() || op.is_logical() {
                Type::BOOL
            } else {
                Type::Error
            };
        }
        if op.is_logical() {
            self.expect(left.0, &Type::BOOL, &a);
            self.expect(right.0, &Type::BOOL, &b);
            return Type::BOOL;
        }
        if op.is_shift() {
            self.operand(op, left.0.span, &a, Kind::Int);
            if let Type::Vector(_, len) = a {
                let by = Type::vector(Scalar::U32, len);
                self.expect(right.0, &by, &b);
                return a;
            }
            if self.table.kind(&b).is_some() {
                self.expect(right.0, &Type::U32, &b);
            } else {
                self.operand(op, right.0.span, &b, Kind::Int);
            }
            return a;
        }
        if let Some(ty) = self.matrix_operator(op, span, (left.0, &a), (right.0, &b)) {
            return ty;
        }
        // Vectors go with a scalar of their own.
        if let Type::Vector(elem, _) = &a
            && !matches!(b, Type::Vector(..))
            && matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div
            )
        {
            self.expect(right.0, elem, &b);
            return a;
        }
        if let Type::Vector(elem, _) = &b
            && !matches!(a, Type::Vector(..))
            && matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div
            )
        {
            self.expect(left.0, elem, &a);
            return b;
        }
        let Some(ty) = self.unify(&a, &b) else {
            let (l, r) = (self.describe(&a), self.describe(&b));
            let message = format!(
                "`{}` needs two operands of one type: the left is {l}, the right is {r}",
                op.text()
            );
            // A literal is what its author changes.
            let literal = self.table.kind(&a).is_some() && self.table.kind(&b).is_none();
            let (culprit, wanted, found) = if literal {
                (left.0, &b, &a)
            } else {
                (right.0, &a, &b)
            };
            let mut diagnostic = Diagnostic::new(culprit.span, message);
            if let Some(help) = self.conversion(wanted, found, Some(culprit)) {
                diagnostic = diagnostic.help(help);
            }
            return self.error(diagnostic);
        };
        if op.is_comparison() {
            if ty == Type::BOOL && !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                let message = format!("`{}` does not compare `bool`", op.text());
                self.error(
                    Diagnostic::new(span, message).help("write it with `&&`, `||`, `!`, `==`"),
                );
                return Type::BOOL;
            }
            if matches!(ty, Type::Scalar(_) | Type::Infer(_)) {
                return Type::BOOL;
            }
            let found = self.describe(&ty);
            let diagnostic =
                Diagnostic::new(span, format!("{found} cannot be compared as a whole"));
            self.error(
                diagnostic.help("compare the components, or write `all(a.cmpeq(b))` and its kind"),
            );
            return Type::BOOL;
        }
        if op.is_bitwise() {
            if ty.scalar() != Some(Scalar::Bool) {
                self.operand(op, left.0.span, &ty, Kind::Int);
            } else if op == BinaryOp::BitXor {
                let diagnostic = Diagnostic::new(span, "`^` takes integers, found `bool`");
                self.error(diagnostic.help("write `!=`"));
            }
            return ty;
        }
        self.operand(op, left.0.span, &ty, Kind::Any);
        ty
    }

    /// Reports unless `ty` is a number, or an integer, that `op` takes.
    pub(super) fn operand(&mut self, op: BinaryOp, span: Span, ty: &Type, kind: Kind) {
        let elem = element(ty);
        let is = self.table.kind(elem);
        let scalar = elem.scalar();
        let fits = match kind {
            Kind::Int => is == Some(Kind::Int) || scalar.is_some_and(Scalar::is_int),
            _ => is.is_some() || scalar.is_some_and(|scalar| scalar != Scalar::Bool),
        };
        if !fits && *ty != Type::Error {
            let found = self.describe(ty);
            let wanted = if kind == Kind::Int {
                "integers"
            } else {
                "numbers"
            };
            self.error(Diagnostic::new(
                span,
                format!("`{}` takes {wanted}, found {found}", op.text()),
            ));
        }
    }

    pub(super) fn cast(&mut self, span: Span, found: &Type, target: Type) -> Type {
        let ty = self.table.deep(found);
        if let Some(kind) = self.table.kind(&ty) {
            let same = match &target {
                Type::Scalar(scalar) => {
                    (kind == Kind::Int && scalar.is_int())
                        || (kind == Kind::Float && *scalar == Scalar::F32)
                }
                _ => false,
            };
            if same {
                self.unify(&ty, &target);
            }
            if target == Type::F16 {
                let help = "write `f16::from_f32(1.0)`, with the number";
                let diagnostic = Diagnostic::new(span, "`as` does not convert to `f16`");
                return self.error(diagnostic.help(help));
            }
            return target;
        }
        match (&ty, &target) {
            (Type::Scalar(Scalar::F16), Type::Scalar(Scalar::F16)) => target,
            (_, Type::Scalar(Scalar::F16)) => {
                let help = if ty == Type::F32 {
                    "write `f16::from_f32(x)`"
                } else {
                    "write `f16::from_f32(x as f32)`"
                };
                let message = "`as` does not convert to `f16`";
                self.error(Diagnostic::new(span, message).help(help))
            }
            (Type::Scalar(Scalar::F16), Type::Scalar(to)) => {
                let help = match to {
                    Scalar::F32 => "write `x.to_f32()`".to_string(),
                    Scalar::Bool => "compare it".to_string(),
                    _ => format!("write `x.to_f32() as {}`", to.name()),
                };
                let message = "`as` does not convert `f16`";
                self.error(Diagnostic::new(span, message).help(help))
            }
            (Type::Scalar(Scalar::Bool), Type::Scalar(Scalar::F32)) => {
                let diagnostic = Diagnostic::new(span, "`bool` cannot be cast to `f32`");
                self.error(diagnostic.help("write `if x { 1.0 } else { 0.0 }`"))
            }
            (Type::Error, _)
            | (
                Type::Scalar(_),
                Type::Scalar(Scalar::I32 | Scalar::U32 | Scalar::F32 | Scalar::I64 | Scalar::U64),
            ) => target,
            (Type::Scalar(_), Type::Scalar(Scalar::Bool)) => {
                let diagnostic = Diagnostic::new(span, "a number cannot be cast to `bool`");
                self.error(diagnostic.help("compare it: `x != 0`"))
            }
            (Type::Vector(..), _) => {
                let found = self.describe(&ty);
                let diagnostic = Diagnostic::new(span, format!("{found} cannot be cast with `as`"));
                self.error(diagnostic.help("`to_f32(v)` converts a vector of integers"))
            }
            _ => {
                let found = self.describe(&ty);
                self.error(Diagnostic::new(
                    span,
                    format!("{found} cannot be cast to `{target}`"),
                ))
            }
        }
    }
}
