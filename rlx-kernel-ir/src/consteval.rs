//! Constant integer and boolean expressions: array lengths, unrolled loops, pruned branches.

use crate::builtin::Effect;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::item::{Item, LocalId, Module};
use crate::types::{Scalar, Type};
use crate::walk;

/// Values of unrolled loop variables: a few at the most.
#[derive(Clone, Debug, Default)]
pub struct Env(Vec<(LocalId, i128)>);

impl Env {
    /// No values.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of a variable.
    pub fn get(&self, local: LocalId) -> Option<i128> {
        for (known, value) in &self.0 {
            if known.0 == local.0 {
                return Some(*value);
            }
        }
        None
    }

    /// Gives a variable a value.
    pub fn insert(&mut self, local: LocalId, value: i128) {
        self.remove(local);
        self.0.push((local, value));
    }

    /// Forgets a variable.
    pub fn remove(&mut self, local: LocalId) {
        self.0.retain(|(known, _)| *known != local);
    }
}

/// The value of `expr` where it is a constant integer or bool; bools are 0 and 1.
///
/// Arithmetic is exact; a result outside the expression's type is no constant.
pub fn eval(module: &Module, env: &Env, expr: &Expr) -> Option<i128> {
    let value = eval_exact(module, env, expr)?;
    let in_range = match expr.ty {
        Type::Scalar(Scalar::Bool) => true,
        Type::Scalar(scalar) => scalar.range().is_some_and(|range| range.contains(&value)),
        _ => true,
    };
    in_range.then_some(value)
}

/// What is wrong with `expr` as soon as its constant operands are known: what WGSL refuses in a
/// constant, and what is never meant. Looks at the outermost operation alone.
pub fn fault(module: &Module, env: &Env, expr: &Expr) -> Option<Diagnostic> {
    let value = |expr: &Expr| eval(module, env, expr);
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, b)
            if b.ty.scalar().is_some_and(Scalar::is_int) && value(b) == Some(0) =>
        {
            Some(Diagnostic::new(b.span, "this divides by zero"))
        }
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, a, b)
            if value(b).is_some_and(|by| !(0..i128::from(bits(&a.ty))).contains(&by)) =>
        {
            let (by, bits) = (value(b)?, bits(&a.ty));
            let message = format!("a shift by {by} bits: an integer has {bits}");
            Some(Diagnostic::new(b.span, message).help(format!("shift by 0 to {}", bits - 1)))
        }
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
            let (left, right) = (value(a)?, value(b)?);
            let result = binary(*op, left, right)?;
            let name = overflowed(&expr.ty, result)?;
            let message = format!(
                "{left} {} {right} is {result}, which `{name}` does not hold",
                op.text()
            );
            Some(Diagnostic::new(expr.span, message))
        }
        ExprKind::Unary(UnaryOp::Neg, inner) => {
            let result = -value(inner)?;
            let name = overflowed(&expr.ty, result)?;
            let message = format!("{result} does not fit `{name}`");
            Some(Diagnostic::new(expr.span, message))
        }
        ExprKind::Index(base, index) => {
            let len = match &base.ty {
                Type::Array(_, len) => *len,
                Type::Vector(_, len) => u32::from(*len),
                _ => return None,
            };
            let at = value(index)?;
            if (0..i128::from(len)).contains(&at) {
                return None;
            }
            let message = format!("index {at} is out of range: there are {len} elements");
            Some(Diagnostic::new(index.span, message))
        }
        _ => None,
    }
}

/// The name of the integer type that does not hold `value`.
fn overflowed(ty: &Type, value: i128) -> Option<&'static str> {
    let Type::Scalar(scalar) = ty else {
        return None;
    };
    let fits = scalar.range().is_none_or(|range| range.contains(&value));
    (!fits).then(|| scalar.name())
}

/// The bits of an integer, or of a vector's components.
fn bits(ty: &Type) -> u32 {
    ty.scalar().map_or(32, |scalar| scalar.size() * 8)
}

fn eval_exact(module: &Module, env: &Env, expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) | ExprKind::Hex(value) => Some(i128::from(*value)),
        ExprKind::Bool(value) => Some(i128::from(*value)),
        ExprKind::Local(local) => env.get(*local),
        ExprKind::Literal(_) => literal(expr),
        ExprKind::Const(id) => match module.items.get(id.0)? {
            Item::Const(item) => eval(module, &Env::new(), &item.value),
            _ => None,
        },
        ExprKind::Unary(UnaryOp::Neg, inner) => eval(module, env, inner)?.checked_neg(),
        ExprKind::Unary(UnaryOp::Not, inner) if inner.ty == Type::BOOL => {
            Some(i128::from(eval(module, env, inner)? == 0))
        }
        // As in Rust, a cast keeps the low bits.
        ExprKind::Cast(inner) => {
            let value = eval(module, env, inner)?;
            match expr.ty {
                Type::Scalar(Scalar::U32) => Some(i128::from(value as u32)),
                Type::Scalar(Scalar::I32) => Some(i128::from(value as i32)),
                Type::Scalar(Scalar::U64) => Some(i128::from(value as u64)),
                Type::Scalar(Scalar::I64) => Some(i128::from(value as i64)),
                _ => Some(value),
            }
        }
        ExprKind::Binary(op, left, right) => {
            let a = eval(module, env, left);
            if a.is_none() && !matches!(op, BinaryOp::Mul | BinaryOp::Rem) {
                return None;
            }
            match (op, a, eval(module, env, right)) {
                // x * 0 comes of unrolled loops.
                (BinaryOp::Mul, Some(0), None) if is_plain(&expr.ty, right) => Some(0),
                (BinaryOp::Mul, None, Some(0)) if is_plain(&expr.ty, left) => Some(0),
                (_, Some(a), Some(b)) => binary(*op, a, b),
                // One side decides.
                (BinaryOp::And, Some(0), _) | (BinaryOp::Rem, None, Some(1)) => Some(0),
                (BinaryOp::Or, Some(a), _) if a != 0 => Some(1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether `expr` is a factor of an integer `ty` that does nothing besides giving its value.
fn is_plain(ty: &Type, expr: &Expr) -> bool {
    let Type::Scalar(scalar) = ty else {
        return false;
    };
    let mut plain = scalar.is_int();
    walk::expr(expr, &mut |expr| {
        plain &= match &expr.kind {
            ExprKind::Builtin(builtin, _) => builtin.effect == Effect::Pure,
            ExprKind::Int(_)
            | ExprKind::Hex(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Param(_)
            | ExprKind::Const(_)
            | ExprKind::Literal(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Cast(_)
            | ExprKind::Field(..)
            | ExprKind::Length(_) => true,
            _ => false,
        };
    });
    plain
}

/// The value of an associated const of an integer type.
fn literal(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Literal("4294967295u") => Some(i128::from(u32::MAX)),
        ExprKind::Literal("0u" | "0lu") => Some(0),
        ExprKind::Literal("2147483647i") => Some(i128::from(i32::MAX)),
        ExprKind::Literal("i32(-2147483648)") => Some(i128::from(i32::MIN)),
        ExprKind::Literal("18446744073709551615lu") => Some(i128::from(u64::MAX)),
        ExprKind::Literal("9223372036854775807li") => Some(i128::from(i64::MAX)),
        ExprKind::Literal("(-9223372036854775807li - 1li)") => Some(i128::from(i64::MIN)),
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
        // What the bits past a type's width make is outside its range, and no constant.
        BinaryOp::Shl => u32::try_from(b)
            .ok()
            .filter(|b| *b < 63)
            .and_then(|b| a.checked_mul(1 << b)),
        BinaryOp::Shr => u32::try_from(b).ok().filter(|b| *b < 64).map(|b| a >> b),
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

#[cfg(test)]
mod tests {
    use super::{Env, eval, fault};
    use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
    use crate::item::Module;
    use crate::span::Span;
    use crate::types::Type;

    fn int(value: u64, ty: Type) -> Expr {
        Expr::typed(ExprKind::Int(value), Span::NONE, ty)
    }

    fn binary(op: BinaryOp, a: u64, b: u64) -> Expr {
        let (a, b) = (int(a, Type::U32), int(b, Type::U32));
        let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
        Expr::typed(kind, Span::NONE, Type::U32)
    }

    fn message(expr: &Expr) -> Option<String> {
        fault(&Module::default(), &Env::new(), expr).map(|fault| fault.message)
    }

    #[test]
    fn a_difference_below_zero_is_no_constant_and_a_fault() {
        let expr = binary(BinaryOp::Sub, 1, 2);
        assert_eq!(eval(&Module::default(), &Env::new(), &expr), None);
        assert_eq!(
            message(&expr).as_deref(),
            Some("1 - 2 is -1, which `u32` does not hold")
        );
    }

    #[test]
    fn division_by_zero_and_shifts_past_the_width_are_faults() {
        assert_eq!(
            message(&binary(BinaryOp::Rem, 1, 0)).as_deref(),
            Some("this divides by zero")
        );
        assert_eq!(
            message(&binary(BinaryOp::Shl, 1, 32)).as_deref(),
            Some("a shift by 32 bits: an integer has 32")
        );
        assert_eq!(message(&binary(BinaryOp::Shl, 1, 31)), None);
    }

    #[test]
    fn a_cast_keeps_the_low_bits() {
        let one = Box::new(int(1, Type::I32));
        let minus_one = Expr::typed(ExprKind::Unary(UnaryOp::Neg, one), Span::NONE, Type::I32);
        let cast = Expr::typed(ExprKind::Cast(Box::new(minus_one)), Span::NONE, Type::U32);
        assert_eq!(
            eval(&Module::default(), &Env::new(), &cast),
            Some(i128::from(u32::MAX))
        );
    }
}
