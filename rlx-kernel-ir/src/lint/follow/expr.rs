//! Expressions.

use super::{Follower, Frame, Known, LANES, Lanes, Value};
use crate::builtin::{Builtin, Effect, Spelling};
use crate::consteval::{self, Env};
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::span::Span;
use crate::types::Type;

impl Follower<'_> {
    /// What an expression gives.
    pub fn expr(&mut self, expr: &Expr) -> Value {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 {
            return Value::Unknown;
        }
        match &expr.kind {
            // What is made of these is decided where the operator is applied.
            ExprKind::Int(_)
            | ExprKind::Hex(_)
            | ExprKind::Bool(_)
            | ExprKind::Literal(_)
            | ExprKind::Const(_) => self.decided(expr).map_or(Value::Uniform, Value::number),
            ExprKind::Float(_) | ExprKind::Length(_) => Value::Uniform,
            ExprKind::Param(index) => match &expr.ty {
                Type::Vector(_, len) => {
                    let parts =
                        (0..*len).map(|at| Value::Lanes(self.known(Known::Param(*index, at))));
                    Value::Vector(parts.collect())
                }
                _ => Value::Lanes(self.known(Known::Param(*index, 0))),
            },
            ExprKind::Local(local) => self.get(*local),
            ExprKind::Index(..) | ExprKind::Field(..) => self.part(expr),
            ExprKind::Deref(inner) | ExprKind::Ref(_, inner) => self.expr(inner),
            ExprKind::Unary(op, inner) => {
                let value = self.expr(inner);
                unary(*op, &value)
            }
            ExprKind::Cast(inner) => {
                let value = self.expr(inner);
                let is_int = |ty: &Type| matches!(ty, Type::Scalar(scalar) if scalar.is_int());
                if is_int(&expr.ty) && (is_int(&inner.ty) || inner.ty == Type::BOOL) {
                    value
                } else {
                    Value::of_all([&value])
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Array(args) | ExprKind::Printed(_, args) => {
                let values: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
                Value::of_all(&values)
            }
            ExprKind::Struct(_, fields) => {
                let values: Vec<_> = fields.iter().map(|(_, field)| self.expr(field)).collect();
                Value::of_all(&values)
            }
            ExprKind::Repeat(value, _) => {
                let value = self.expr(value);
                Value::of_all([&value])
            }
            ExprKind::If(condition, then, otherwise) => {
                self.branches(condition, then, otherwise.as_deref())
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Match(value, arms) => self.choice(value, arms),
            ExprKind::Instance(index, args) => self.instance(*index, args, expr.span),
            ExprKind::Builtin(builtin, args) => self.builtin(builtin, args),
            // Packed weights: where the bytes of a block lie is the format's affair.
            ExprKind::Load { address, .. } => {
                let address = self.expr(address);
                Value::of_all([&address])
            }
            ExprKind::Binding(_)
            | ExprKind::Workgroup(_)
            | ExprKind::Table(_)
            | ExprKind::Call(..)
            | ExprKind::CallOf(..)
            | ExprKind::Named(..)
            | ExprKind::Method(..) => Value::Unknown,
        }
    }

    /// The value of what is decided at compile time.
    pub fn decided(&self, expr: &Expr) -> Option<i64> {
        let ty = &expr.ty;
        if *ty != Type::BOOL && !ty.scalar().is_some_and(crate::types::Scalar::is_int) {
            return None;
        }
        let value = consteval::eval(self.module, &Env::new(), expr)?;
        i64::try_from(value).ok()
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Value {
        let left = self.expr(a);
        let before = self.active;
        if op.is_logical() {
            let taken = holds(&left);
            self.active = match (op, taken) {
                (BinaryOp::And, Some(mask)) => before & mask,
                (_, Some(mask)) => before & !mask,
                (_, None) => before,
            };
        }
        let right = self.expr(b);
        self.active = before;
        self.apply(op, &left, &right)
    }

    /// `a op b`
    pub fn apply(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Value {
        match (left, right) {
            (Value::Vector(a), Value::Vector(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b);
                return Value::Vector(parts.map(|(a, b)| self.apply(op, a, b)).collect());
            }
            (Value::Vector(a), b) => {
                return Value::Vector(a.iter().map(|a| self.apply(op, a, b)).collect());
            }
            (a, Value::Vector(b)) => {
                return Value::Vector(b.iter().map(|b| self.apply(op, a, b)).collect());
            }
            _ => {}
        }
        let otherwise = Value::of_all([left, right]);
        let (Some(a), Some(b)) = (self.lanes(left), self.lanes(right)) else {
            return otherwise;
        };
        let power = |b: &Lanes| {
            b.constant()
                .and_then(|by| 1_i64.checked_shl(u32::try_from(by).ok()?))
        };
        let found = match op {
            BinaryOp::Add => a.plus(&b, 1),
            BinaryOp::Sub => a.plus(&b, -1),
            BinaryOp::Mul => a.times(&b),
            BinaryOp::Shl => power(&b).and_then(|by| a.times(&Lanes::number(by))),
            BinaryOp::Div => b.constant().and_then(|by| Some(a.divided(by)?.0)),
            BinaryOp::Shr => power(&b).and_then(|by| Some(a.divided(by)?.0)),
            BinaryOp::Rem => b.constant().and_then(|by| Some(a.divided(by)?.1)),
            BinaryOp::BitAnd => {
                let mask = |b: &Lanes| {
                    b.constant()?
                        .checked_add(1)
                        .filter(|by| by.count_ones() == 1)
                };
                let low = mask(&b).and_then(|by| Some(a.divided(by)?.1));
                low.or_else(|| a.zip(&b, |a, b| Some(a & b)))
            }
            BinaryOp::BitOr => a.zip(&b, |a, b| Some(a | b)),
            BinaryOp::BitXor => a.zip(&b, |a, b| Some(a ^ b)),
            BinaryOp::And => a.zip(&b, |a, b| Some(i64::from(a != 0 && b != 0))),
            BinaryOp::Or => a.zip(&b, |a, b| Some(i64::from(a != 0 || b != 0))),
            BinaryOp::Eq => compare(&a, &b, |order| order == 0),
            BinaryOp::Ne => compare(&a, &b, |order| order != 0),
            BinaryOp::Lt => compare(&a, &b, |order| order < 0),
            BinaryOp::Le => compare(&a, &b, |order| order <= 0),
            BinaryOp::Gt => compare(&a, &b, |order| order > 0),
            BinaryOp::Ge => compare(&a, &b, |order| order >= 0),
        };
        found.map_or(otherwise, Value::Lanes)
    }

    fn builtin(&mut self, builtin: &'static Builtin, args: &[Expr]) -> Value {
        let values: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        let apply = |follower: &mut Self, op| match values.as_slice() {
            [a, b] => follower.apply(op, a, b),
            _ => Value::Unknown,
        };
        match (builtin.wgsl, builtin.name) {
            (Spelling::Input(input), _) => self.input(input),
            (Spelling::Elect, _) => {
                let mut row = [0; LANES];
                row[0] = 1;
                Value::Lanes(Lanes::row(row))
            }
            (Spelling::Constructor, _) => Value::Vector(values),
            (_, "wrapping_add") => apply(self, BinaryOp::Add),
            (_, "wrapping_sub") => apply(self, BinaryOp::Sub),
            (_, "wrapping_mul") => apply(self, BinaryOp::Mul),
            (_, "min" | "max") => extreme(builtin.name == "max", &values),
            (
                _,
                "subgroup_add"
                | "subgroup_mul"
                | "subgroup_min"
                | "subgroup_max"
                | "subgroup_and"
                | "subgroup_or"
                | "subgroup_xor"
                | "subgroup_all"
                | "subgroup_any"
                | "subgroup_ballot"
                | "subgroup_broadcast"
                | "subgroup_broadcast_first"
                | "workgroup_uniform_load",
            ) => Value::Uniform,
            _ if builtin.effect == Effect::Pure => Value::of_all(&values),
            _ => Value::Unknown,
        }
    }

    fn instance(&mut self, index: usize, args: &[Expr], span: Span) -> Value {
        let values: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        let typed = self.typed;
        let Some(instance) = typed.instances.get(index) else {
            return Value::Unknown;
        };
        let function = &instance.function;
        let outer = std::mem::replace(&mut self.frame, Frame::new(function));
        for (param, value) in function.params.iter().zip(values) {
            self.set(param.local, value);
        }
        let (active, live) = (self.active, self.live);
        self.calls.push(span);
        let tail = self.block(&function.body);
        self.calls.pop();
        let ended = self.live;
        (self.active, self.live) = (active, live);
        let inner = std::mem::replace(&mut self.frame, outer);
        // What a helper leaves in a variable of its caller is not looked for.
        for arg in args {
            if matches!(arg.ty, Type::Pointer(_))
                && let Some(local) = crate::walk::root(arg)
            {
                self.set(local, Value::Unknown);
            }
        }
        match inner.returned {
            None => tail,
            Some(returned) if ended && function.ret != Type::Unit => {
                self.either(&returned, &tail, false)
            }
            Some(returned) => returned,
        }
    }
}

fn compare(a: &Lanes, b: &Lanes, of: impl Fn(i64) -> bool) -> Option<Lanes> {
    let order = a.plus(b, -1)?.known()?;
    Some(Lanes::row(order.map(|order| i64::from(of(order)))))
}

fn unary(op: UnaryOp, value: &Value) -> Value {
    let Value::Lanes(lanes) = value else {
        return Value::of_all([value]);
    };
    let found = match op {
        UnaryOp::Neg => Lanes::default().plus(lanes, -1),
        UnaryOp::Not => {
            let not = |value, _| (0..=1).contains(&value).then_some(1 - value);
            lanes.zip(lanes, not)
        }
    };
    found.map_or_else(|| Value::of_all([value]), Value::Lanes)
}

/// The lanes in which a condition holds, where that is known.
pub(super) fn holds(condition: &Value) -> Option<u32> {
    let Value::Lanes(lanes) = condition else {
        return None;
    };
    let row = lanes.known()?;
    let bits = row.iter().enumerate();
    Some(bits.fold(0, |mask, (lane, value)| {
        mask | u32::from(*value != 0) << lane
    }))
}

fn extreme(larger: bool, values: &[Value]) -> Value {
    let [left, right] = values else {
        return Value::Unknown;
    };
    let otherwise = Value::of_all([left, right]);
    let (Value::Lanes(a), Value::Lanes(b)) = (left, right) else {
        return otherwise;
    };
    let Some(difference) = a.plus(b, -1).and_then(|difference| difference.known()) else {
        return otherwise;
    };
    let takes_first = |difference: &i64| (*difference > 0) == larger;
    if difference.iter().all(takes_first) {
        left.clone()
    } else if !difference.iter().any(takes_first) {
        right.clone()
    } else {
        let of = |a: i64, b: i64| Some(if larger { a.max(b) } else { a.min(b) });
        a.zip(b, of).map_or(otherwise, Value::Lanes)
    }
}
