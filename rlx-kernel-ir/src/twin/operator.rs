//! Operators and casts.

use rlx_kernel_twin::program::{Binary, Block as Code, Convert, Op, Reg, Regs, Unary};

use super::expr::{components, scalar};
use super::{Lower, Result, Value, unsupported};
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::span::Span;
use crate::types::{Scalar, Type};

/// Registers of a scalar.
pub(super) fn width(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::I64 | Scalar::U64 => 2,
        _ => 1,
    }
}

impl Lower<'_> {
    pub(super) fn unary(
        &mut self,
        op: UnaryOp,
        inner: &Expr,
        expr: &Expr,
        want: Option<Reg>,
    ) -> Result<Value> {
        let op = match (op, scalar(&inner.ty, expr.span)?) {
            (UnaryOp::Neg, Scalar::F32 | Scalar::F16) => Unary::NegF,
            (UnaryOp::Neg, _) => Unary::NegI,
            (UnaryOp::Not, Scalar::Bool) => Unary::NotB,
            (UnaryOp::Not, _) => Unary::Not,
        };
        let a = self.value(inner, None)?.first;
        self.each_unary(op, a, expr, want)
    }

    /// `op` of each component; the operand's scalar is the result's, or as wide.
    pub(super) fn each_unary(
        &mut self,
        op: Unary,
        a: Reg,
        expr: &Expr,
        want: Option<Reg>,
    ) -> Result<Value> {
        let kind = scalar(&expr.ty, expr.span)?;
        let (count, width) = (components(&expr.ty), width(kind));
        let first = self.target(want, count * width, expr.span)?;
        for index in 0..count {
            let at = |reg: Reg| Reg(reg.0 + index * width);
            self.one(op, kind, at(first), at(a), expr.span)?;
        }
        Ok(Value { first, owned: true })
    }

    /// `op` of a scalar; a half is rounded to one.
    pub(super) fn one(
        &mut self,
        op: Unary,
        kind: Scalar,
        to: Reg,
        a: Reg,
        span: Span,
    ) -> Result<()> {
        match kind {
            Scalar::I64 | Scalar::U64 => {
                let (to, a) = (Regs::new(to, 2), Regs::new(a, 2));
                self.emit(Op::WideUnary { op, to, a }, span);
            }
            Scalar::F16 if !matches!(op, Unary::NegF | Unary::AbsF) => {
                let exact = self.alloc(1, span)?;
                self.emit(Op::Unary { op, to: exact, a }, span);
                self.round(to, exact, span);
            }
            _ => self.emit(Op::Unary { op, to, a }, span),
        }
        Ok(())
    }

    /// Rounds to a half.
    pub(super) fn round(&mut self, to: Reg, a: Reg, span: Span) {
        let op = Unary::RoundToF16;
        self.emit(Op::Unary { op, to, a }, span);
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        (a, b): (&Expr, &Expr),
        expr: &Expr,
        want: Option<Reg>,
    ) -> Result<Value> {
        if op.is_logical() && !is_free(b) {
            return self.short_circuit(op, a, b, expr.span, want);
        }
        let [left, right] = self.operands(&[a, b])?[..] else {
            return Err(unsupported("an operator without operands", expr.span));
        };
        self.operate(
            op,
            [(left, &a.ty), (right, &b.ty)],
            &expr.ty,
            want,
            expr.span,
        )
    }

    /// The right side runs only where it must.
    fn short_circuit(
        &mut self,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        span: Span,
        want: Option<Reg>,
    ) -> Result<Value> {
        let first = self.target(want, 1, span)?;
        self.value(a, Some(first))?;
        self.push_block(span)?;
        self.tail(b, Some(Regs::new(first, 1)))?;
        let block = self.pop_block();
        let (then, otherwise) = match op {
            BinaryOp::And => (block, Code::default()),
            _ => (Code::default(), block),
        };
        let op = Op::If {
            condition: first,
            then,
            otherwise,
        };
        self.emit(op, a.span);
        Ok(Value { first, owned: true })
    }

    /// `a op b`, by components; a scalar goes with each component of a vector.
    pub(super) fn operate(
        &mut self,
        op: BinaryOp,
        [(a, a_type), (b, b_type)]: [(Reg, &Type); 2],
        ty: &Type,
        want: Option<Reg>,
        span: Span,
    ) -> Result<Value> {
        if let Type::Matrix(..) = ty {
            let operands = [(a, a_type), (b, b_type)];
            return self.matrix_operator(op, operands, want, span);
        }
        let kind = scalar(a_type, span)?;
        let (code, swapped) = code(op, kind);
        let count = components(ty);
        let result = width(scalar(ty, span)?);
        let step = |ty: &Type| {
            let width = ty.scalar().map_or(1, width);
            width * u32::from(components(ty) > 1)
        };
        let first = self.target(want, count * result, span)?;
        for index in 0..count {
            let to = Reg(first.0 + index * result);
            let mut operands = [
                Reg(a.0 + index * step(a_type)),
                Reg(b.0 + index * step(b_type)),
            ];
            if swapped {
                operands.reverse();
            }
            self.pair(code, kind, to, operands, span)?;
        }
        Ok(Value { first, owned: true })
    }

    /// `op` of two scalars of a kind; a half is rounded to one.
    pub(super) fn pair(
        &mut self,
        op: Binary,
        kind: Scalar,
        to: Reg,
        [a, b]: [Reg; 2],
        span: Span,
    ) -> Result<()> {
        match kind {
            Scalar::I64 | Scalar::U64 => {
                let op = Op::Wide {
                    op,
                    to: Regs::new(to, if op.is_comparison() { 1 } else { 2 }),
                    a: Regs::new(a, 2),
                    // A shift is by the low word, whatever it is by.
                    b: Regs::new(b, if op.is_shift() { 1 } else { 2 }),
                };
                self.emit(op, span);
            }
            Scalar::F16 if !op.is_comparison() => {
                let exact = self.alloc(1, span)?;
                let to_exact = Op::Binary {
                    op,
                    to: exact,
                    a,
                    b,
                };
                self.emit(to_exact, span);
                self.round(to, exact, span);
            }
            _ => self.emit(Op::Binary { op, to, a, b }, span),
        }
        Ok(())
    }

    pub(super) fn cast(&mut self, inner: &Expr, expr: &Expr, want: Option<Reg>) -> Result<Value> {
        use Scalar::{Bool, F16, F32, I32, I64, U32, U64};
        let span = expr.span;
        let (from, to) = (scalar(&inner.ty, span)?, scalar(&expr.ty, span)?);
        let op = match (from, to) {
            (F32 | F16, I32) => Unary::F32ToI32,
            (F32 | F16, U32) => Unary::F32ToU32,
            (I32, F32 | F16) => Unary::I32ToF32,
            (U32, F32 | F16) => Unary::U32ToF32,
            (Bool, F32 | F16) => Unary::BoolToF32,
            (I32 | U32, Bool) => Unary::IntToBool,
            (F32 | F16, Bool) => Unary::F32ToBool,
            (F32, F16) => Unary::RoundToF16,
            (I64 | U64, _) | (_, I64 | U64) => return self.wide_cast(inner, expr, want),
            // The bits stay; a half is the float that it is held as.
            _ => return self.value(inner, want),
        };
        let a = self.value(inner, None)?.first;
        self.each_unary(op, a, expr, want)
    }

    /// From or to 64 bits.
    fn wide_cast(&mut self, inner: &Expr, expr: &Expr, want: Option<Reg>) -> Result<Value> {
        use Scalar::{Bool, F32, I32, I64, U32, U64};
        let span = expr.span;
        let (from, to) = (scalar(&inner.ty, span)?, scalar(&expr.ty, span)?);
        let op = match (from, to) {
            (I64 | U64, I64 | U64) => return self.value(inner, want),
            (I64 | U64, I32 | U32) => None,
            (U32 | Bool, I64 | U64) => Some(Convert::FromU32),
            (I32, I64 | U64) => Some(Convert::FromI32),
            (F32, U64) => Some(Convert::F32ToU64),
            (F32, I64) => Some(Convert::F32ToI64),
            (U64, F32) => Some(Convert::U64ToF32),
            (I64, F32) => Some(Convert::I64ToF32),
            _ => {
                let what = format!("`{}` as `{}`", from.name(), to.name());
                return Err(unsupported(what, span));
            }
        };
        let (before, after) = (width(from), width(to));
        let a = self.value(inner, None)?.first;
        let count = components(&expr.ty);
        let first = self.target(want, count * after, span)?;
        for index in 0..count {
            let to = Regs::new(Reg(first.0 + index * after), after);
            let a = Regs::new(Reg(a.0 + index * before), before);
            // Without a conversion it is the low word.
            let from = Regs::new(a.first, 1);
            let op = op.map_or(Op::Copy { to, from }, |op| Op::Convert { op, to, a });
            self.emit(op, span);
        }
        Ok(Value { first, owned: true })
    }
}

/// The operation of an operator on scalars of a type, and whether its operands change places.
fn code(op: BinaryOp, scalar: Scalar) -> (Binary, bool) {
    let by = |float: Binary, signed: Binary, unsigned: Binary| match scalar {
        Scalar::F32 | Scalar::F16 => float,
        Scalar::I32 | Scalar::I64 => signed,
        Scalar::Bool | Scalar::U32 | Scalar::U64 => unsigned,
    };
    let code = match op {
        BinaryOp::Add => by(Binary::AddF, Binary::AddI, Binary::AddU),
        BinaryOp::Sub => by(Binary::SubF, Binary::SubI, Binary::SubU),
        BinaryOp::Mul => by(Binary::MulF, Binary::MulI, Binary::MulU),
        BinaryOp::Div => by(Binary::DivF, Binary::DivI, Binary::DivU),
        BinaryOp::Rem => by(Binary::RemF, Binary::RemI, Binary::RemU),
        BinaryOp::BitAnd | BinaryOp::And => Binary::And,
        BinaryOp::BitOr | BinaryOp::Or => Binary::Or,
        BinaryOp::BitXor => Binary::Xor,
        BinaryOp::Shl => Binary::Shl,
        BinaryOp::Shr => by(Binary::ShrU, Binary::ShrI, Binary::ShrU),
        BinaryOp::Eq => by(Binary::EqF, Binary::Eq, Binary::Eq),
        BinaryOp::Ne => by(Binary::NeF, Binary::Ne, Binary::Ne),
        BinaryOp::Lt | BinaryOp::Gt => by(Binary::LtF, Binary::LtI, Binary::LtU),
        BinaryOp::Le | BinaryOp::Ge => by(Binary::LeF, Binary::LeI, Binary::LeU),
    };
    (code, matches!(op, BinaryOp::Gt | BinaryOp::Ge))
}

/// Whether computing `expr` where its value is not asked for is seen by nobody.
fn is_free(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Hex(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Literal(_)
        | ExprKind::Local(_)
        | ExprKind::Param(_)
        | ExprKind::Length(_) => true,
        ExprKind::Unary(UnaryOp::Not, inner) | ExprKind::Field(inner, _) => is_free(inner),
        ExprKind::Binary(op, a, b) => {
            (op.is_comparison() || op.is_logical()) && is_free(a) && is_free(b)
        }
        _ => false,
    }
}
