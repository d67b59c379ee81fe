//! Expressions.

use super::frame::Frame;
use super::poly::{Monomial, Poly, gcd};
use super::value::{Condition, Value};
use super::{Index, Returned, Walker};
use crate::builtin::{Builtin, Input, Spelling};
use crate::consteval;
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::item::FieldKind;
use crate::matrix::MatrixOp;
use crate::span::Span;
use crate::types::{Scalar, Source, Type};
use crate::walk;

/// Calls around a function at the most; helpers do not call themselves.
const MAX_DEPTH: usize = 32;

/// What an integer is but for a multiple of 2³²: exactly, and with an atom for what had wrapped.
fn parts(value: &Value) -> Option<(&Poly, Option<&Poly>)> {
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
    fn fits_u32(&self, exact: &Poly) -> bool {
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
                if let Some(value) = self.overrides.get(id) {
                    return Value::Int(value.clone());
                }
                let value = self.any(&expr.ty);
                self.overrides.insert(*id, value.clone());
                Value::Int(value)
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
    fn wrapped(&mut self, exact: &Poly) -> Poly {
        let constant = exact.coefficient(Monomial::ONE);
        let zeros = gcd(exact.content(), constant.abs())
            .trailing_zeros()
            .min(31);
        let part = self.fresh(i128::from(u32::MAX >> zeros));
        self.wraps.extend(part.atoms());
        part.scaled(1 << zeros).unwrap_or(part)
    }

    /// The elements of what is indexed, and what it is called.
    fn elements(&mut self, base: &Expr) -> Option<(Poly, String)> {
        let inside = match &base.ty {
            Type::Pointer(inner) => inner,
            other => other,
        };
        match inside {
            // Its length may be an override.
            _ if let ExprKind::Workgroup(index) = base.kind => {
                self.length(Source::Workgroup(index))
            }
            Type::Slice { source, .. } => source.and_then(|source| self.length(source)),
            Type::Array(_, len) => Some((Poly::constant((*len).into()), String::new())),
            Type::Vector(_, len) => Some((Poly::constant((*len).into()), String::new())),
            _ => None,
        }
    }

    /// Whether `size` elements from any of what `at` may be called on are below `length`: then it has
    /// not wrapped.
    fn is_inside(&self, at: &Value, size: i128, length: &Poly) -> bool {
        let Some((exact, any)) = parts(at) else {
            return false;
        };
        let end = length.offset(-size);
        // Where there are two, the exact one has been found wanting before.
        [any, Some(exact)].into_iter().flatten().any(|at| {
            let left = end.as_ref().and_then(|end| end.plus(-1, at));
            self.is_positive(at) && self.prove(left)
        })
    }

    fn index(&mut self, base: &Expr, index: &Expr) -> Value {
        let container = self.value(base);
        let value = self.value(index);
        let length = self.elements(base);
        if let Some((length, _)) = &length
            && self.is_inside(&value, 1, length)
        {
            self.note(index.span, Index::Proved);
            return match (
                container,
                parts(&value).and_then(|(at, _)| at.as_constant()),
            ) {
                (Value::Vector(parts), Some(at)) => usize::try_from(at)
                    .ok()
                    .and_then(|at| parts.get(at).cloned())
                    .map_or(Value::Unknown, Value::Int),
                _ => Value::Unknown,
            };
        }
        let at = self.resolved(value, &index.ty);
        match length {
            Some((length, name)) => self.check(&at, &length, &name, index.span),
            None => self.note(
                index.span,
                Index::Unproved("nothing is known of its slice".into()),
            ),
        }
        match (container, at.as_constant()) {
            (Value::Vector(parts), Some(at)) => usize::try_from(at)
                .ok()
                .and_then(|at| parts.get(at).cloned())
                .map_or(Value::Unknown, Value::Int),
            _ => Value::Unknown,
        }
    }

    /// Checks that `at` is below `length`, the elements of `name`.
    fn check(&mut self, at: &Poly, length: &Poly, name: &str, span: Span) {
        if matches!(self.indices.get(&span), Some(Index::Unproved(_))) {
            return;
        }
        let last = length.plus(-1, &Poly::constant(1));
        let inside = last.as_ref().and_then(|last| last.plus(-1, at));
        let most = self.facts.most(at);
        let known = length
            .as_constant()
            .zip(most)
            .is_some_and(|(len, most)| most < len);
        if self.is_positive(at) && (known || self.prove(inside)) {
            self.note(span, Index::Proved);
            return;
        }
        let of = if name.is_empty() {
            String::new()
        } else {
            format!(" of `{name}`")
        };
        let elements = length.as_constant();
        let outside = at.plus(-1, length);
        if let Some(elements) = elements
            && self.prove(outside)
            && !self.facts.is_contradiction()
        {
            let least = self.facts.least(at).unwrap_or(elements).max(elements);
            let message = format!(
                "this index is always out of range: it is {least} or more, and there are {elements} elements{of}"
            );
            self.note(span, Index::Outside(message));
            return;
        }
        let wrapped = at.atoms().iter().any(|atom| self.wraps.contains(atom));
        let reason = match (elements, most) {
            _ if wrapped => "its arithmetic may wrap".to_string(),
            (Some(elements), Some(most)) if most < 1 << 31 => {
                format!("it may be {most}, and there are {elements} elements{of}")
            }
            (Some(elements), _) => format!("nothing keeps it below the {elements} elements{of}"),
            (None, _) => format!("nothing keeps it below the length{of}"),
        };
        self.note(span, Index::Unproved(reason));
    }

    /// Adds what was found of the index at `span` on one way to it.
    pub(super) fn note(&mut self, span: Span, found: Index) {
        let merged = match (self.indices.remove(&span), found) {
            (None, found) => found,
            (Some(Index::Proved), Index::Proved) => Index::Proved,
            (Some(Index::Outside(message)), Index::Outside(_)) => Index::Outside(message),
            (Some(Index::Unproved(reason)), _) | (_, Index::Unproved(reason)) => {
                Index::Unproved(reason)
            }
            (Some(Index::Outside(_)), _) | (_, Index::Outside(_)) => {
                Index::Unproved("on one way to it, it is out of range".into())
            }
        };
        self.indices.insert(span, merged);
    }

    /// Checks a read of a block's field.
    fn load(&mut self, source: Source, kind: FieldKind, align: u32, address: &Expr, span: Span) {
        let value = self.value(address);
        // A read at any alignment is of four bytes.
        let size = match (kind, align) {
            (FieldKind::U8 | FieldKind::I8, _) => 1,
            (_, 1) => 4,
            _ => kind.size(),
        };
        let bytes = self
            .length(source)
            .and_then(|(words, name)| Some((words.scaled(4)?, name)));
        if let Some((bytes, _)) = &bytes
            && self.is_inside(&value, size.into(), bytes)
        {
            self.note(span, Index::Proved);
            return;
        }
        let at = self.resolved(value, &Type::U32);
        let last = at.offset(i128::from(size) - 1);
        match (last, bytes) {
            (Some(last), Some((bytes, name))) => self.check(&last, &bytes, &name, span),
            _ => self.note(
                span,
                Index::Unproved("nothing is known of its slice".into()),
            ),
        }
    }

    /// Makes the values of builtins, with what is known of them.
    pub(super) fn inputs(&mut self) {
        let typed = self.typed;
        let helpers = typed.instances.iter().map(|instance| &instance.function);
        for function in typed.kernel.iter().chain(helpers) {
            walk::block(&function.body, &mut |expr| {
                if let ExprKind::Builtin(builtin, _) = &expr.kind
                    && let Spelling::Input(input) = builtin.wgsl
                {
                    for part in 0..if input.is_vector() { 3 } else { 1 } {
                        self.input(input, part);
                    }
                }
            });
        }
    }

    /// A builtin's value.
    fn input(&mut self, input: Input, part: usize) -> Poly {
        if let Some(value) = self.inputs.get(&(input, part)) {
            return value.clone();
        }
        let size = self.workgroup_size();
        let all = size
            .iter()
            .try_fold(Poly::constant(1), |all, along| all.times(along))
            .unwrap_or_else(|| Poly::constant(1 << 32));
        let most = self.facts.most(&all).unwrap_or(1 << 32).clamp(1, 1 << 32);
        let groups = i128::from(super::MAX_WORKGROUPS);
        let less = |poly: &Poly, by: &Poly| by.plus(-1, poly).and_then(|d| d.offset(-1));
        let value = match input {
            Input::LocalId | Input::LocalIndex => {
                let bound = match input {
                    Input::LocalId => size.get(part).cloned().unwrap_or_default(),
                    _ => all,
                };
                let value = self.fresh(self.facts.most(&bound).unwrap_or(1 << 32) - 1);
                self.facts.add(less(&value, &bound));
                value
            }
            Input::WorkgroupId => self.fresh(groups - 1),
            Input::NumWorkgroups => self.fresh(groups),
            Input::GlobalId => {
                let (group, local) = (
                    self.input(Input::WorkgroupId, part),
                    self.input(Input::LocalId, part),
                );
                let along = size.get(part).and_then(|along| along.times(&group));
                let value = along.and_then(|along| local.plus(1, &along));
                value
                    .filter(|value| self.at_most(value, u32::MAX.into()))
                    .unwrap_or_else(|| self.any(&Type::U32))
            }
            Input::SubgroupSize => {
                let value = self.fresh(128);
                self.facts.add(value.offset(-1));
                value
            }
            Input::SubgroupLane => {
                let size = self.input(Input::SubgroupSize, 0);
                let lane = self.fresh(127.min(most - 1));
                self.facts.add(less(&lane, &size));
                lane
            }
            Input::NumSubgroups => {
                let value = self.fresh(most);
                self.facts.add(value.offset(-1));
                value
            }
            Input::SubgroupId => {
                let count = self.input(Input::NumSubgroups, 0);
                let id = self.fresh(most - 1);
                self.facts.add(less(&id, &count));
                id
            }
            Input::WorkgroupIndex | Input::GlobalIndex => self.any(&Type::U32),
        };
        self.inputs.insert((input, part), value.clone());
        value
    }

    /// Invocations of a workgroup along each dimension.
    fn workgroup_size(&mut self) -> [Poly; 3] {
        let kernel = self.kernel;
        let mut size = kernel
            .workgroup_size
            .map(|along| Poly::constant(along.into()));
        for (along, expr) in size.iter_mut().zip(&kernel.workgroup_exprs) {
            if let Some(expr) = expr {
                *along = self.int(expr);
            }
        }
        size
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

    /// Checks the last element of a matrix that lies at `place`; the first has been checked.
    fn tile(&mut self, matrix: &Type, place: &Expr, stride: &Expr) {
        let (Type::Matrix(_, _, size), ExprKind::Index(base, index)) = (matrix, &place.kind) else {
            self.note(
                place.span,
                Index::Unproved("nothing is known of its slice".into()),
            );
            return;
        };
        let lanes = match &place.ty {
            Type::Vector(_, len) => i128::from(*len),
            _ => 1,
        };
        let last = i128::from(*size) - 1;
        let (at, stride) = (self.int(index), self.int(stride));
        let end = at
            .plus(last, &stride)
            .and_then(|end| end.offset(last / lanes));
        match (end, self.elements(base)) {
            (Some(end), Some((length, name))) => self.check(&end, &length, &name, index.span),
            _ => self.note(
                index.span,
                Index::Unproved("nothing is known of its slice".into()),
            ),
        }
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

    /// The value of an expression that is kept: an integer of which nothing is known is one atom.
    pub(super) fn kept(&mut self, expr: &Expr) -> Value {
        let value = self.value(expr);
        self.keep(value, &expr.ty)
    }

    /// A value to be kept: whether it has wrapped is asked once.
    pub(super) fn keep(&mut self, value: Value, ty: &Type) -> Value {
        match value {
            Value::Unknown if is_int(ty) => Value::Int(self.any(ty)),
            Value::Wrapped { exact, any } => {
                if self.fits_u32(&exact) {
                    return Value::Int(exact);
                }
                let any = match any {
                    Some(any) if self.fits_u32(&any) => any,
                    _ => self.wrapped(&exact),
                };
                Value::Wrapped {
                    exact,
                    any: Some(any),
                }
            }
            value => value,
        }
    }

    /// The value of a call: its body followed with these arguments.
    fn call(&mut self, index: usize, args: &[Expr]) -> Value {
        let values: Vec<Value> = args.iter().map(|arg| self.kept(arg)).collect();
        let typed = self.typed;
        let Some(instance) = typed
            .instances
            .get(index)
            .filter(|_| self.depth < MAX_DEPTH)
        else {
            return Value::Unknown;
        };
        let callee = &instance.function;
        let mut env = Frame::default();
        for (param, value) in callee.params.iter().zip(values) {
            env.set(param.local, value);
        }
        let before = self.mark();
        let caller = std::mem::replace(&mut self.env, env);
        let function = std::mem::replace(&mut self.function, callee);
        let consts = std::mem::take(&mut self.consts);
        let returned = self.returned.take();
        self.depth += 1;
        let mut value = self.block(&callee.body);
        self.depth -= 1;
        self.env = caller;
        self.function = function;
        self.consts = consts;
        let dead = std::mem::replace(&mut self.dead, false);
        if let Some(Returned(bound)) = std::mem::replace(&mut self.returned, returned) {
            // Several ways meet: what holds on all of them is what held before.
            self.back(before);
            let own = match &value {
                Value::Int(poly) if !dead => self.most_of(poly, &callee.ret),
                _ if dead => Some(0),
                _ => None,
            };
            value = match (bound, own) {
                (Some(a), Some(b)) => Value::Int(self.fresh(a.max(b))),
                _ => Value::Unknown,
            };
        } else if !is_int(&callee.ret) {
            self.back(before);
        }
        // What is lent may be changed.
        for arg in args {
            if let Some(local) = super::stmt::lent(arg) {
                self.env.remove(local);
            }
        }
        value
    }

    /// An upper bound of an unsigned value; none for what may be below 0.
    pub(super) fn most_of(&self, poly: &Poly, ty: &Type) -> Option<i128> {
        ty.scalar()
            .filter(|scalar| scalar.is_unsigned() && matches!(ty, Type::Scalar(_)))?;
        self.facts.most(poly)
    }
}
