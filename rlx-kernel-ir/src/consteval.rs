//! Constant integer and boolean expressions: array lengths, unrolled loops, pruned branches.

use std::collections::HashMap;

use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::item::{Item, LocalId, Module};
use crate::types::{Scalar, Type};

/// Values of unrolled loop variables.
pub type Env = HashMap<LocalId, i128>;

/// The value of `expr` where it is a constant integer or bool; bools are 0 and 1.
///
/// Arithmetic is exact; a result outside the expression's type is no constant.
pub fn eval(module: &Module, env: &Env, expr: &Expr) -> Option<i128> {
    let value = eval_exact(module, env, expr)?;
    let in_range = match expr.ty {
        Type::Scalar(Scalar::U32) => u32::try_from(value).is_ok(),
        Type::Scalar(Scalar::I32) => i32::try_from(value).is_ok(),
        Type::Scalar(Scalar::F32) => false,
        _ => true,
    };
    in_range.then_some(value)
}

fn eval_exact(module: &Module, env: &Env, expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) | ExprKind::Hex(value) => Some(i128::from(*value)),
        ExprKind::Bool(value) => Some(i128::from(*value)),
        ExprKind::Local(local) => env.get(local).copied(),
        ExprKind::Const(id) => match module.items.get(id.0)? {
            Item::Const(item) => eval(module, &Env::new(), &item.value),
            _ => None,
        },
        ExprKind::Unary(UnaryOp::Neg, inner) => eval(module, env, inner)?.checked_neg(),
        ExprKind::Unary(UnaryOp::Not, inner) if inner.ty == Type::BOOL => {
            Some(i128::from(eval(module, env, inner)? == 0))
        }
        ExprKind::Cast(inner) => eval(module, env, inner),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (eval(module, env, a), eval(module, env, b));
            match (op, a, b) {
                (_, Some(a), Some(b)) => binary(*op, a, b),
                // One side decides.
                (BinaryOp::And, Some(0), _) => Some(0),
                (BinaryOp::Or, Some(a), _) if a != 0 => Some(1),
                (BinaryOp::Rem, None, Some(1)) => Some(0),
                _ => None,
            }
        }
        _ => None,
    }
}

fn binary(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => u32::try_from(b).ok().filter(|b| *b < 32).map(|b| a << b),
        BinaryOp::Shr => u32::try_from(b).ok().filter(|b| *b < 32).map(|b| a >> b),
        BinaryOp::And => Some(i128::from(a != 0 && b != 0)),
        BinaryOp::Or => Some(i128::from(a != 0 || b != 0)),
        BinaryOp::Eq => Some(i128::from(a == b)),
        BinaryOp::Ne => Some(i128::from(a != b)),
        BinaryOp::Lt => Some(i128::from(a < b)),
        BinaryOp::Le => Some(i128::from(a <= b)),
        BinaryOp::Gt => Some(i128::from(a > b)),
        BinaryOp::Ge => Some(i128::from(a >= b)),
    }
}
