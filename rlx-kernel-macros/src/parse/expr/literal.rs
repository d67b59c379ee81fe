//! Literals, and the consts of scalar types.

use rlx_kernel_ir::{Expr, ExprKind, Scalar, Span, Type, UnaryOp};

use crate::parse::body::BodyParser;
use crate::parse::ty;

impl BodyParser<'_> {
    pub(super) fn literal(&mut self, lit: &syn::ExprLit, span: Span) -> Expr {
        match &lit.lit {
            syn::Lit::Bool(value) => Expr::new(ExprKind::Bool(value.value), span),
            syn::Lit::Int(value) => {
                let suffix = value.suffix();
                if suffix == "f32" {
                    return Expr::typed(
                        ExprKind::Float(value.base10_digits().into()),
                        span,
                        Type::F32,
                    );
                }
                let ty = self.suffix(lit, suffix);
                match value.base10_parse::<u64>() {
                    Ok(number) if value.token().to_string().starts_with("0x") => {
                        Expr::typed(ExprKind::Hex(number), span, ty)
                    }
                    Ok(number) => Expr::typed(ExprKind::Int(number), span, ty),
                    Err(_) => self.refused(
                        lit,
                        span,
                        "this number is too large",
                        Some("the largest integers have 64 bits"),
                    ),
                }
            }
            syn::Lit::Float(value) => {
                let ty = self.suffix(lit, value.suffix());
                Expr::typed(ExprKind::Float(value.base10_digits().into()), span, ty)
            }
            syn::Lit::Str(_) | syn::Lit::ByteStr(_) | syn::Lit::Char(_) => {
                self.refused(lit, span, "there is no text on a GPU", Some("use a number"))
            }
            _ => self.refused(
                lit,
                span,
                "this literal is not in the kernel language",
                Some("use `u32`, `i32` or `f32`"),
            ),
        }
    }

    pub(super) fn suffix(&mut self, lit: &syn::ExprLit, suffix: &str) -> Type {
        if suffix.is_empty() {
            return Type::Unknown;
        }
        if let Some(scalar) = ty::scalar(suffix).filter(|scalar| *scalar != Scalar::F16) {
            return Type::Scalar(scalar);
        }
        let help = if suffix == "f16" {
            "write `f16::from_f32(1.0)`, with the number"
        } else if suffix.starts_with('f') {
            "write `f32`"
        } else {
            "write `u32`, `i32`, `u64` or `i64`"
        };
        let message = if suffix == "f16" {
            "`f16` has no literals".into()
        } else {
            format!("`{suffix}` is not a type of the kernel language")
        };
        self.sink.error_help(lit, message, help);
        Type::Error
    }
}

/// A number of a type.
pub(super) fn number(value: i64, scalar: Scalar, span: Span) -> Expr {
    let ty = Type::Scalar(scalar);
    if scalar == Scalar::Bool {
        return Expr::typed(ExprKind::Bool(value != 0), span, ty);
    }
    let size = Expr::typed(ExprKind::Int(value.unsigned_abs()), span, ty.clone());
    if value < 0 {
        return Expr::typed(ExprKind::Unary(UnaryOp::Neg, Box::new(size)), span, ty);
    }
    size
}

/// Associated consts of scalar types.
pub(super) fn scalar_const(name: &str) -> Option<(&'static str, Type)> {
    Some(match name {
        "u32::MAX" => ("4294967295u", Type::U32),
        "u32::MIN" => ("0u", Type::U32),
        "i32::MAX" => ("2147483647i", Type::I32),
        "i32::MIN" => ("i32(-2147483648)", Type::I32),
        "u64::MAX" => ("18446744073709551615lu", Type::U64),
        "u64::MIN" => ("0lu", Type::U64),
        "i64::MAX" => ("9223372036854775807li", Type::I64),
        "i64::MIN" => ("(-9223372036854775807li - 1li)", Type::I64),
        "f16::MAX" => ("65504.0h", Type::F16),
        "f16::MIN" => ("-65504.0h", Type::F16),
        "f16::EPSILON" => ("0.0009765625h", Type::F16),
        "f16::MIN_POSITIVE" => ("0.00006103515625h", Type::F16),
        "f16::ZERO" => ("0.0h", Type::F16),
        "f16::ONE" => ("1.0h", Type::F16),
        "f32::MAX" => ("0x1.fffffep+127f", Type::F32),
        "f32::MIN" => ("-0x1.fffffep+127f", Type::F32),
        "f32::EPSILON" => ("0x1p-23f", Type::F32),
        "f32::MIN_POSITIVE" => ("0x1p-126f", Type::F32),
        _ => return None,
    })
}
