//! Matrices that a subgroup holds.

use super::expr::{Shape, call};
use super::function::FunctionPrinter;
use super::text::Text;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::matrix::MatrixOp;
use crate::types::Type;
use crate::walk;

impl FunctionPrinter<'_, '_> {
    /// What is done with matrices; the result is of type `ty`.
    pub fn matrix(&mut self, op: MatrixOp, args: &[Expr], ty: &Type) -> Text {
        match (op, args) {
            (MatrixOp::Load { .. }, [place, stride]) => {
                let stride = self.expr(stride);
                let name = format!("{}<{}>", op.wgsl(), Self::type_name(ty));
                call(&name, &[self.address(place), stride])
            }
            (MatrixOp::Store { .. }, [matrix, place, stride]) => {
                let values = self.arguments(&[matrix.clone(), stride.clone()]);
                let mut values = values.into_iter();
                let mut all: Vec<Text> = values.next().into_iter().collect();
                all.push(self.address(place));
                all.extend(values);
                call(op.wgsl(), &all)
            }
            (MatrixOp::MultiplyAdd, args) => {
                let args = self.arguments(args);
                call(op.wgsl(), &args)
            }
            (_, _) => call(&Self::type_name(ty), &[]),
        }
    }

    /// `a op b`, of which one is a matrix at least.
    pub fn matrix_operator(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> (Text, Shape) {
        let left = if self.needs_statements(b) {
            (self.spill(a, "left"), Shape::Atom)
        } else {
            self.of_matrix(a)
        };
        let right = self.of_matrix(b);
        (Self::joined(op, left, right, b), Shape::Binary(op))
    }

    /// An operand of an operator on matrices. naga 30 gives a number without a suffix no type there.
    pub fn of_matrix(&mut self, operand: &Expr) -> (Text, Shape) {
        let mut is_abstract = operand.ty == Type::F32;
        walk::expr(operand, &mut |expr| {
            is_abstract &= matches!(
                expr.kind,
                ExprKind::Float(_) | ExprKind::Cast(_) | ExprKind::Unary(..) | ExprKind::Binary(..)
            );
        });
        let (text, shape) = self.shaped(operand);
        match (is_abstract, shape) {
            (false, _) => (text, shape),
            (true, Shape::Atom) => {
                let mut text = text;
                text.push("f");
                (text, shape)
            }
            (true, _) => (call("f32", &[text]), Shape::Atom),
        }
    }

    /// `&place`
    fn address(&mut self, place: &Expr) -> Text {
        let mut text = Text::new("&");
        text.append(&self.operand(place));
        text
    }
}
