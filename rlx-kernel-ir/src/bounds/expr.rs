//! Expressions.

use super::Walker;
use super::poly::{Monomial, Poly, gcd};
use super::value::{Condition, Value};
use crate::builtin::{Builtin, Spelling};
use crate::consteval;
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::item::{FieldKind, ItemId};
use crate::matrix::MatrixOp;
use crate::types::{Scalar, Type};

/// What an integer is but for a multiple of 2³²: exactly, and with an atom for what had wrapped.
pub(super) fn parts(value: &Value) -> Option<(&Poly, Option<&Poly>)> {
    match value {
        Value::Int(exact) => Some((exact, None)),
        Value::Wrapped { exact, any } => Some((exact, any.as_ref())),
        _ => None,
    }
}

/// Whether values of a type are followed as integers: a block is its address.
pub(super) fn is_int(ty: &Type) -> bool {
    match ty {
        Type::Scalar(scalar) => scalar.is_int(),
        Type::Block { .. } => true,
        _ => false,
    }
}

impl Walker<'_> {
    /// What a pipeline sets: one number wherever it is named.
    pub(super) fn override_value(&mut self, id: ItemId, ty: &Type) -> Poly {
        if let Some(value) = self.overrides.get(&id) {
            return value.clone();
        }
        let value = self.any(ty);
        self.overrides.insert(id, value.clone());
        value
    }

    /// The value of an integer expression.
    pub(super) fn int(&mut self, expr: &Expr) -> Poly {
        let value = self.value(expr);
        self.resolved(value, &expr.ty)
    }

    /// A value as an integer of type `ty`: one that may have wrapped is exact where it fits here.
    pub(super) fn resolved(&mut self, value: Value, ty: &Type) -> Poly {
        match value {
            Value::Int(poly) => poly,
            Value::Wrapped { exact, any } => {
                if self.fits_u32(&exact) {
                    return exact;
                }
                match any {
                    Some(any) if self.fits_u32(&any) => any,
                    _ => self.wrapped(&exact),
                }
            }
            _ => self.any(ty),
        }
    }

    /// Whether a polynomial is the value of a `u32`.
    pub(super) fn fits_u32(&self, exact: &Poly) -> bool {
        self.at_most(exact, i128::from(u32::MAX)) && self.is_positive(exact)
    }

    /// What follows from a condition.
    pub(super) fn condition(&mut self, expr: &Expr) -> Condition {
        match self.value(expr) {
            Value::Bool(condition) => condition,
            _ => Condition::default(),
        }
    }

    /// Adds what follows where a condition holds, or does not.
    pub(super) fn assume(&mut self, polys: &[Poly]) {
        for poly in polys {
            self.facts.add(Some(poly.clone()));
        }
    }

    pub(super) fn eval(&self, expr: &Expr) -> Option<i128> {
        if expr.ty.scalar().is_some_and(Scalar::is_float) {
            return None;
        }
        consteval::eval(self.module, &self.consts, expr)
    }

    /// The value of an expression; checks every index in it.
    pub(super) fn value(&mut self, expr: &Expr) -> Value {
        let plain = matches!(
            expr.kind,
            ExprKind::Int(_)
                | ExprKind::Hex(_)
                | ExprKind::Bool(_)
                | ExprKind::Literal(_)
                | ExprKind::Const(_)
                | ExprKind::Local(_)
        );
        if plain && let Some(value) = self.eval(expr) {
            return if expr.ty == Type::BOOL {
                let never = vec![Poly::constant(-1)];
                let (yes, no) = if value == 0 {
                    (never, Vec::new())
                } else {
                    (Vec::new(), never)
                };
                Value::Bool(Condition { yes, no })
            } else {
                Value::Int(Poly::constant(value))
            };
        }
        match &expr.kind {
            ExprKind::Local(local) => {
                if let Some(value) = self.env.get(*local) {
                    return value.clone();
                }
                if !is_int(&expr.ty) {
                    return Value::Unknown;
                }
                let value = Value::Int(self.any(&expr.ty));
                self.env.set(*local, value.clone());
                value
            }
            ExprKind::Const(id) if is_int(&expr.ty) => {
                Value::Int(self.override_value(*id, &expr.ty))
            }
            ExprKind::Param(index) => self.params.get(*index).cloned().unwrap_or_default(),
            ExprKind::Unary(op, inner) => {
                let value = self.value(inner);
                match (op, value) {
                    (UnaryOp::Not, Value::Bool(condition)) => Value::Bool(condition.negated()),
                    (UnaryOp::Neg, Value::Int(poly)) => {
                        let value = Poly::default().plus(-1, &poly);
                        Value::Int(self.fitted(value, (true, true), &expr.ty))
                    }
                    _ => Value::Unknown,
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expr),
            ExprKind::Cast(inner) => {
                let value = self.value(inner);
                match value {
                    value @ (Value::Int(_) | Value::Wrapped { .. }) if is_int(&expr.ty) => {
                        let poly = self.resolved(value, &inner.ty);
                        Value::Int(self.fitted(Some(poly), (true, true), &expr.ty))
                    }
                    Value::Bool(_) if is_int(&expr.ty) => Value::Int(self.fresh(1)),
                    _ => Value::Unknown,
                }
            }
            ExprKind::Index(base, index) => self.index(base, index),
            ExprKind::Field(base, name) => {
                let at = ["x", "y", "z", "w"].iter().position(|field| field == name);
                match (self.value(base), at) {
                    (Value::Vector(parts), Some(at)) => {
                        parts.get(at).cloned().map_or(Value::Unknown, Value::Int)
                    }
                    _ => Value::Unknown,
                }
            }
            ExprKind::Ref(_, inner) | ExprKind::Deref(inner) | ExprKind::Repeat(inner, _) => {
                self.value(inner);
                Value::Unknown
            }
            ExprKind::Array(args) | ExprKind::Printed(_, args) => {
                for arg in args {
                    self.value(arg);
                }
                Value::Unknown
            }
            ExprKind::Struct(_, fields) => {
                for (_, value) in fields {
                    self.value(value);
                }
                Value::Unknown
            }
            ExprKind::If(condition, then, otherwise) => {
                self.branches(condition, then, otherwise.as_deref())
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Match(value, arms) => self.choice(value, arms),
            ExprKind::Instance(index, args) => self.call(*index, args),
            ExprKind::Builtin(builtin, args) => self.builtin(builtin, args, expr),
            ExprKind::Load {
                source,
                kind,
                align,
                address,
            } => {
                self.load(*source, *kind, *align, address, expr.span);
                match kind {
                    FieldKind::U8 | FieldKind::U16 => {
                        Value::Int(self.fresh((1 << (8 * kind.size())) - 1))
                    }
                    _ => Value::Unknown,
                }
            }
            ExprKind::Length(source) => self
                .length(*source)
                .map_or(Value::Unknown, |(length, _)| Value::Int(length)),
            _ => Value::Unknown,
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, whole: &Expr) -> Value {
        if op.is_logical() {
            let left = self.condition(a);
            let before = self.mark();
            let and = op == BinaryOp::And;
            self.assume(if and { &left.yes } else { &left.no });
            let right = self.condition(b);
            self.back(before);
            let both = |a: Vec<Poly>, b: Vec<Poly>| a.into_iter().chain(b).collect();
            return Value::Bool(if and {
                Condition {
                    yes: both(left.yes, right.yes),
                    no: Vec::new(),
                }
            } else {
                // Where one side never holds, the other does.
                let never = |side: &Condition| {
                    side.yes
                        .iter()
                        .any(|poly| poly.as_constant().is_some_and(|value| value < 0))
                };
                let yes = match (never(&left), never(&right)) {
                    (true, _) => right.yes.clone(),
                    (_, true) => left.yes.clone(),
                    _ => Vec::new(),
                };
                Condition {
                    yes,
                    no: both(left.no, right.no),
                }
            });
        }
        let (left, right) = (self.value(a), self.value(b));
        if op.is_comparison() {
            return match (is_int(&a.ty), left, right) {
                (true, left, right) => {
                    let (left, right) = (self.resolved(left, &a.ty), self.resolved(right, &b.ty));
                    self.comparison(op, &left, &right)
                }
                _ => Value::Unknown,
            };
        }
        if !is_int(&whole.ty) {
            return Value::Unknown;
        }
        let ty = match &whole.ty {
            Type::Block { .. } => &Type::U32,
            other => other,
        };
        self.modular(op, (left, &a.ty), (right, &b.ty), ty)
    }

    /// `a op b`; a `u32` that may wrap keeps what it would be otherwise.
    pub(super) fn modular(
        &mut self,
        op: BinaryOp,
        (left, left_ty): (Value, &Type),
        (right, right_ty): (Value, &Type),
        ty: &Type,
    ) -> Value {
        let ring = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) && *ty == Type::U32;
        if ring {
            let apply = |a: &Poly, b: &Poly| match op {
                BinaryOp::Add => a.plus(1, b),
                BinaryOp::Sub => a.plus(-1, b),
                _ => a.times(b),
            };
            if let (Some((a, any_a)), Some((b, any_b))) = (parts(&left), parts(&right))
                && let Some(exact) = apply(a, b)
            {
                // Whether it wraps is asked where that matters: sums and products are those of the
                // exact values whatever wraps on the way.
                let range = self.facts.bounds(&exact);
                if range.is_some_and(|(low, high)| low >= 0 && high <= u32::MAX.into()) {
                    return Value::Int(exact);
                }
                let any = match (any_a, any_b) {
                    (None, None) => None,
                    _ => apply(any_a.unwrap_or(a), any_b.unwrap_or(b)),
                };
                return Value::Wrapped { exact, any };
            }
        }
        let (left, right) = (self.resolved(left, left_ty), self.resolved(right, right_ty));
        Value::Int(self.arithmetic(op, &left, &right, ty))
    }

    /// A `u32` that is `exact` but for a multiple of 2³²: what power of two divides the one divides
    /// the other.
    pub(super) fn wrapped(&mut self, exact: &Poly) -> Poly {
        let constant = exact.coefficient(Monomial::ONE);
        let zeros = gcd(exact.content(), constant.abs())
            .trailing_zeros()
            .min(31);
        let part = self.fresh(i128::from(u32::MAX >> zeros));
        self.wraps.extend(part.atoms());
        part.scaled(1 << zeros).unwrap_or(part)
    }

    fn builtin(&mut self, builtin: &Builtin, args: &[Expr], whole: &Expr) -> Value {
        if let Spelling::Input(input) = builtin.wgsl {
            return if input.is_vector() {
                Value::Vector((0..3).map(|part| self.input(input, part)).collect())
            } else {
                Value::Int(self.input(input, 0))
            };
        }
        let values: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect();
        if let Spelling::Matrix(op) = builtin.wgsl {
            match (op, args) {
                (MatrixOp::Load { .. }, [place, stride]) => self.tile(&whole.ty, place, stride),
                (MatrixOp::Store { .. }, [matrix, place, stride]) => {
                    self.tile(&matrix.ty, place, stride);
                }
                _ => {}
            }
            return Value::Unknown;
        }
        if matches!(builtin.name, "vec2" | "vec3" | "vec4") {
            let parts = values.iter().map(|value| match value {
                Value::Int(poly) => Some(poly.clone()),
                _ => None,
            });
            return parts
                .collect::<Option<Vec<_>>>()
                .map_or(Value::Unknown, Value::Vector);
        }
        if !is_int(&whole.ty) {
            return Value::Unknown;
        }
        let mut ints = Vec::new();
        for (value, arg) in values.into_iter().zip(args) {
            ints.push(self.resolved(value, &arg.ty));
        }
        let unsigned = whole.ty.scalar().is_some_and(Scalar::is_unsigned);
        Value::Int(match (builtin.name, ints.as_slice()) {
            ("min", [a, b]) if unsigned || self.is_positive(a) && self.is_positive(b) => {
                self.below(&[a, b])
            }
            ("max", [a, b]) if unsigned => self.above(a, b),
            ("clamp", [a, low, high]) if unsigned => {
                let _ = (a, low);
                self.below(&[high])
            }
            ("div_ceil", [a, b]) if unsigned => self.quotient_up(a, b, &whole.ty),
            ("wrapping_add", [a, b]) => self.arithmetic(BinaryOp::Add, a, b, &whole.ty),
            ("wrapping_sub", [a, b]) => self.arithmetic(BinaryOp::Sub, a, b, &whole.ty),
            ("wrapping_mul", [a, b]) => self.arithmetic(BinaryOp::Mul, a, b, &whole.ty),
            ("count_ones" | "leading_zeros" | "trailing_zeros", _) => self.fresh(64),
            _ => self.any(&whole.ty),
        })
    }

    /// The larger of two values that are at least 0.
    fn above(&mut self, a: &Poly, b: &Poly) -> Poly {
        let most = |poly: &Poly| self.facts.most(poly);
        let most = most(a)
            .zip(most(b))
            .map_or(i128::MAX >> 1, |(a, b)| a.max(b));
        let value = self.fresh(most.max(0));
        for bound in [a, b] {
            self.facts.add(value.plus(-1, bound));
        }
        let sum = a.plus(1, b);
        self.facts.add(sum.and_then(|sum| sum.plus(-1, &value)));
        value
    }
}
