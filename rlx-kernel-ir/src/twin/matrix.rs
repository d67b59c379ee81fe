//! Matrices that a subgroup holds: a register of each of its invocations names one.

use rlx_kernel_twin::program::op::Tile;
use rlx_kernel_twin::program::{Binary, Op, Reg, Space};

use super::access::Root;
use super::builtin::Site;
use super::{Lower, Result, Value, unsupported};
use crate::expr::{BinaryOp, Expr};
use crate::matrix::MatrixOp;
use crate::span::Span;
use crate::types::{Scalar, Type};

impl Lower<'_> {
    pub(super) fn matrix(&mut self, op: MatrixOp, site: &Site<'_>) -> Result<Value> {
        let Site { expr, args, want } = *site;
        let span = expr.span;
        match (op, args) {
            // Every register holds a matrix of zeros until another is put into it.
            (MatrixOp::Zero, _) => {
                let first = self.constant(0);
                let owned = true;
                Ok(self.deliver(Value { first, owned }, 1, want, span))
            }
            (MatrixOp::Load { rows }, [place, stride]) => {
                let (size, half) = shape(&expr.ty, span)?;
                let tile = self.tile((place, stride), (size, half, rows), false)?;
                let to = self.target(want, 1, span)?;
                self.emit(Op::MatrixLoad { to, tile }, span);
                Ok(owned(to))
            }
            (MatrixOp::Store { rows }, [matrix, place, stride]) => {
                let (size, half) = shape(&matrix.ty, span)?;
                let from = self.value(matrix, None)?.first;
                let tile = self.tile((place, stride), (size, half, rows), true)?;
                self.emit(Op::MatrixStore { from, tile }, span);
                Ok(owned(self.constant(0)))
            }
            (MatrixOp::MultiplyAdd, args) => {
                let (size, half) = shape(&expr.ty, span)?;
                let [a, b, c] = self.operands(&args.iter().collect::<Vec<_>>())?[..] else {
                    return Err(unsupported("a product of other than three matrices", span));
                };
                let to = self.target(want, 1, span)?;
                let op = Op::MatrixMultiplyAdd {
                    to,
                    a,
                    b,
                    c,
                    size,
                    half,
                };
                self.emit(op, span);
                Ok(owned(to))
            }
            _ => Err(unsupported("these matrices", span)),
        }
    }

    /// `a op b`, of which one is a matrix at least.
    pub(super) fn matrix_operator(
        &mut self,
        op: BinaryOp,
        [(a, a_type), (b, b_type)]: [(Reg, &Type); 2],
        want: Option<Reg>,
        span: Span,
    ) -> Result<Value> {
        let to = self.target(want, 1, span)?;
        let scaled = |matrix: Reg, ty: &Type, by: Reg| {
            let (size, half) = shape(ty, span)?;
            Ok(Op::MatrixScale {
                to,
                a: matrix,
                by,
                size,
                half,
            })
        };
        let op = match (a_type, b_type) {
            (Type::Matrix(..), Type::Matrix(..)) => {
                let (size, half) = shape(a_type, span)?;
                let op = if op == BinaryOp::Sub {
                    Binary::SubF
                } else {
                    Binary::AddF
                };
                Op::MatrixBinary {
                    op,
                    to,
                    a,
                    b,
                    size,
                    half,
                }
            }
            (Type::Matrix(..), _) => scaled(a, a_type, b)?,
            _ => scaled(b, b_type, a)?,
        };
        self.emit(op, span);
        Ok(owned(to))
    }

    /// Where a matrix lies.
    fn tile(
        &mut self,
        (place, stride): (&Expr, &Expr),
        (size, half, rows): (u32, bool, bool),
        written: bool,
    ) -> Result<Tile> {
        let at = self.place(place, written)?;
        let Root::Memory(memory) = at.root else {
            return Err(unsupported("a matrix outside of memory", place.span));
        };
        let stride = self.value(stride, None)?.first;
        let space = self.memory(memory).map(|memory| memory.space);
        let packed = matches!(space, Some(Space::Workgroup { .. }));
        let unit = self.stride(&place.ty, packed, place.span)?;
        let lanes = match place.ty {
            Type::Vector(_, len) => u32::from(len),
            _ => 1,
        };
        Ok(Tile {
            memory,
            address: at.address,
            offset: at.offset,
            stride,
            size,
            unit,
            component: unit / lanes,
            rows,
            half: half && !packed,
        })
    }
}

fn owned(first: Reg) -> Value {
    Value { first, owned: true }
}

/// Rows of a matrix, and whether its elements are halves.
fn shape(ty: &Type, span: Span) -> Result<(u32, bool)> {
    match ty {
        Type::Matrix(elem, _, size) => Ok((*size, elem.scalar() == Some(Scalar::F16))),
        other => Err(unsupported(format!("a matrix of `{other}`"), span)),
    }
}
