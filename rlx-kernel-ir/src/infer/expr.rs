//! Types of expressions.

use super::Infer;
use super::unify::Kind;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::item::{Item, ItemId};
use crate::poison;
use crate::span::Span;
use crate::stmt::Block;
use crate::types::{Scalar, Source, Type};

impl Infer<'_> {
    /// Infers `expr` and everything below it.
    pub(super) fn expr(&mut self, expr: &mut Expr) -> Type {
        let span = expr.span;
        let known = expr.ty.clone();
        let ty = match &mut expr.kind {
            // A suffixed literal comes with its type.
            ExprKind::Int(_) | ExprKind::Hex(_) | ExprKind::Float(_) if known != Type::Unknown => {
                known
            }
            ExprKind::Int(_) | ExprKind::Hex(_) => self.table.fresh(Kind::Int),
            ExprKind::Float(_) => self.table.fresh(Kind::Float),
            ExprKind::Bool(_) => Type::BOOL,
            ExprKind::Local(local) => self.local_type(*local),
            ExprKind::Binding(index) => {
                let index = *index;
                self.module
                    .kernel
                    .as_ref()
                    .and_then(|kernel| kernel.bindings.get(index))
                    .map_or(Type::Error, |binding| Type::Slice {
                        elem: Box::new(binding.elem.clone()),
                        writable: binding.writable,
                        source: Some(Source::Binding(index)),
                    })
            }
            ExprKind::Table(index) => Type::Slice {
                elem: Box::new(Type::U32),
                writable: false,
                source: Some(Source::Table(*index)),
            },
            ExprKind::Param(index) => {
                let param = self
                    .module
                    .kernel
                    .as_ref()
                    .and_then(|kernel| kernel.params.get(*index));
                param.map_or(Type::Error, |param| param.ty.clone())
            }
            ExprKind::Workgroup(index) => {
                let var = self
                    .module
                    .kernel
                    .as_ref()
                    .and_then(|kernel| kernel.workgroup.get(*index));
                var.map_or(Type::Error, |var| var.ty.clone())
            }
            ExprKind::Const(id) => {
                let id = *id;
                self.constant(id, span)
            }
            ExprKind::Unary(op, inner) => {
                let op = *op;
                let found = self.expr(inner);
                self.unary(op, span, &found)
            }
            ExprKind::Binary(op, a, b) => {
                let op = *op;
                let (left, right) = (self.expr(a), self.expr(b));
                self.binary(op, span, (a, &left), (b, &right))
            }
            ExprKind::Cast(inner) => {
                let found = self.expr(inner);
                self.cast(inner.span, &found, known)
            }
            ExprKind::Index(base, index) => self.index(base, index),
            ExprKind::Field(base, name) => {
                let name = name.clone();
                let mut found = self.expr(base);
                if let Type::Pointer(inner) = self.table.shallow(&found) {
                    found = dereferenced(base, *inner);
                }
                self.field(span, &found, &name)
            }
            ExprKind::Array(elems) => {
                let mut ty = self.table.fresh(Kind::Any);
                let len = elems.len() as u32;
                for elem in elems {
                    let found = self.expr(elem);
                    ty = self.expect(elem, &ty, &found);
                }
                Type::Array(Box::new(ty), len)
            }
            ExprKind::Struct(id, fields) => {
                let id = *id;
                self.structure(id, fields, span)
            }
            ExprKind::Repeat(value, len) => {
                let len = *len;
                Type::Array(Box::new(self.expr(value)), len)
            }
            ExprKind::If(condition, then, otherwise) => {
                let found = self.expr(condition);
                self.expect(condition, &Type::BOOL, &found);
                let first = self.block(then);
                match otherwise {
                    None => {
                        if matches!(
                            self.table.shallow(&first),
                            Type::Unit | Type::Never | Type::Error
                        ) {
                            Type::Unit
                        } else {
                            let at = then.tail.as_ref().map_or(span, |tail| tail.span);
                            let found = self.describe(&first);
                            let message = format!(
                                "this `if` gives {found}, but has no `else` to give one otherwise"
                            );
                            let diagnostic = Diagnostic::new(at, message);
                            self.error(diagnostic.help(
                                "add `else { .. }` with the other value, or end this one with `;`",
                            ))
                        }
                    }
                    Some(otherwise) => {
                        let second = self.expr(otherwise);
                        self.agree(otherwise, &first, &second, "branches of an `if`")
                    }
                }
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Match(value, arms) => {
                let scrutinee = self.expr(value);
                let selector = self.table.deep(&scrutinee);
                let is_int = self.table.kind(&selector) == Some(Kind::Int)
                    || matches!(
                        selector,
                        Type::Scalar(Scalar::I32 | Scalar::U32) | Type::Error
                    );
                if !is_int {
                    let found = self.describe(&selector);
                    let message = format!("a `match` is on an integer, found {found}");
                    self.error(
                        Diagnostic::new(value.span, message).help("write `if` and `else if`"),
                    );
                }
                let mut seen = Vec::new();
                let mut ty = Type::Never;
                for (patterns, arm) in arms.iter_mut() {
                    for pattern in patterns {
                        if let ExprKind::Int(number) | ExprKind::Hex(number) = pattern.kind {
                            if seen.contains(&number) {
                                let message = format!("{number} is matched twice");
                                self.error(Diagnostic::new(pattern.span, message));
                            }
                            seen.push(number);
                        }
                        let found = self.expr(pattern);
                        self.expect(pattern, &scrutinee, &found);
                    }
                    let found = self.expr(arm);
                    ty = self.agree(arm, &ty, &found, "arms of a `match`");
                }
                let is_open =
                    |patterns: &[Expr]| patterns.is_empty() || patterns.iter().any(poison::in_expr);
                if !arms.last().is_some_and(|(patterns, _)| is_open(patterns)) {
                    let diagnostic =
                        Diagnostic::new(value.span, "this `match` does not cover every value");
                    self.error(diagnostic.help("end it with `_ => …`"));
                }
                ty
            }
            ExprKind::Ref(mutable, inner) => {
                let mutable = *mutable;
                self.reference(inner, mutable)
            }
            ExprKind::Deref(inner) => {
                let found = self.expr(inner);
                match self.table.shallow(&found) {
                    Type::Pointer(inner) => *inner,
                    Type::Error => Type::Error,
                    other => {
                        let found = self.describe(&other);
                        self.error(Diagnostic::new(
                            span,
                            format!("{found} cannot be dereferenced"),
                        ))
                    }
                }
            }
            ExprKind::Call(id, args) => {
                let id = *id;
                let (kind, ty) = self.call(id, args, span);
                expr.kind = kind;
                ty
            }
            ExprKind::CallOf(id, given, args) => {
                let (id, given) = (*id, given.clone());
                let (kind, ty) = self.call_of(id, &given, args, span);
                expr.kind = kind;
                ty
            }
            ExprKind::Named(name, at, args) => {
                let (name, at) = (name.clone(), *at);
                let (kind, ty) = match known {
                    Type::Matrix(..) => self.matrix_call(known, (&name, at), args, span),
                    _ => self.named((&name, at), args, span),
                };
                expr.kind = kind;
                ty
            }
            ExprKind::Method(receiver, name, at, args) => {
                let (name, at) = (name.clone(), *at);
                let (kind, ty) = self.method(receiver, (&name, at), args, span);
                expr.kind = kind;
                ty
            }
            ExprKind::Literal(_)
            | ExprKind::Instance(..)
            | ExprKind::Printed(..)
            | ExprKind::Builtin(..)
            | ExprKind::Load { .. }
            | ExprKind::Length(_) => known,
        };
        expr.ty = if self.is_wrong() {
            Type::Error
        } else {
            ty.clone()
        };
        ty
    }

    /// The one type of several branches, of which `branch` is a later one.
    fn agree(&mut self, branch: &Expr, first: &Type, found: &Type, what: &str) -> Type {
        if let Some(ty) = self.unify(first, found) {
            return ty;
        }
        let (first, found) = (self.table.deep(first), self.table.deep(found));
        let message = format!(
            "the {what} give one type: the first gives {}, this one {}",
            self.describe(&first),
            self.describe(&found)
        );
        let mut diagnostic = Diagnostic::new(value_span(branch), message);
        if let Some(help) = self.conversion(&first, &found, Some(branch)) {
            diagnostic = diagnostic.help(help);
        }
        self.error(diagnostic)
    }

    fn constant(&mut self, id: ItemId, span: Span) -> Type {
        match self.module.items.get(id.0) {
            Some(Item::Const(item)) => {
                if !self.typed.consts.contains_key(&id) {
                    let value = self.const_value(&item.value, &item.ty);
                    self.typed.consts.insert(id, value);
                }
                if self.typed.consts.get(&id).is_some_and(poison::in_expr) {
                    return Type::Error;
                }
                item.ty.clone()
            }
            Some(Item::Override(item)) => {
                let (ty, value) = (Type::Scalar(item.ty), item.default.unsigned_abs());
                let value = Expr::typed(ExprKind::Int(value), span, ty.clone());
                self.typed.consts.entry(id).or_insert(value);
                ty
            }
            Some(Item::Function(function)) => {
                let message = format!("`{}` is a function; it must be called", function.name);
                self.error(Diagnostic::new(span, message))
            }
            _ => self.error(Diagnostic::new(span, "this is a type, not a value")),
        }
    }

    /// The value of a const, typed in a state of its own.
    fn const_value(&mut self, value: &Expr, ty: &Type) -> Expr {
        let table = std::mem::take(&mut self.table);
        let function = self.function.take();
        let mut block = Block {
            stmts: Vec::new(),
            tail: Some(Box::new(value.clone())),
        };
        let found = self.block(&mut block);
        self.expect(value, ty, &found);
        self.resolve_body(&mut block);
        if self.is_wrong()
            && let Some(tail) = &mut block.tail
        {
            tail.ty = Type::Error;
        }
        self.table = table;
        self.function = function;
        block.tail.map_or_else(|| value.clone(), |value| *value)
    }

    fn unary(&mut self, op: UnaryOp, span: Span, found: &Type) -> Type {
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
    pub(super) fn binary(
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
            && op == BinaryOp::Mul
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
    fn operand(&mut self, op: BinaryOp, span: Span, ty: &Type, kind: Kind) {
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

    fn cast(&mut self, span: Span, found: &Type, target: Type) -> Type {
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

    fn field(&mut self, span: Span, found: &Type, name: &str) -> Type {
        match self.table.deep(found) {
            Type::Vector(elem, len) => {
                let all = ["x", "y", "z", "w"];
                let has = &all[..usize::from(len)];
                if has.contains(&name) {
                    return *elem;
                }
                let message = format!("`Vec{len}<{elem}>` has no component `{name}`");
                self.error(
                    Diagnostic::new(span, message)
                        .last()
                        .help(format!("it has `{}`", has.join("`, `"))),
                )
            }
            Type::Struct(id, structure) => {
                let module = self.module;
                let fields = module
                    .structure(id)
                    .map_or(&[][..], |structure| &structure.fields);
                if let Some((_, ty)) = fields.iter().find(|(field, _)| field == name) {
                    return ty.clone();
                }
                let has = fields.iter().map(|(field, _)| format!("`{field}`"));
                let help = format!("it has {}", has.collect::<Vec<_>>().join(", "));
                let message = format!("`{structure}` has no field `{name}`");
                self.error(Diagnostic::new(span, message).last().help(help))
            }
            Type::Error => Type::Error,
            other => {
                let found = self.describe(&other);
                let mut diagnostic =
                    Diagnostic::new(span, format!("{found} has no field `{name}`")).last();
                if let Type::Matrix(..) = other {
                    diagnostic = diagnostic.help(super::matrix::NO_ELEMENTS);
                }
                self.error(diagnostic)
            }
        }
    }

    /// `Name { field: value, .. }`
    fn structure(&mut self, id: ItemId, fields: &mut [(String, Expr)], span: Span) -> Type {
        let module = self.module;
        let Some(structure) = module.structure(id) else {
            return self.error(Diagnostic::new(span, "this is no struct"));
        };
        for (name, value) in fields.iter_mut() {
            let found = self.expr(value);
            if let Some((_, ty)) = structure.fields.iter().find(|(field, _)| field == name) {
                self.expect(value, ty, &found);
                continue;
            }
            let message = format!("`{}` has no field `{name}`", structure.name);
            let has = structure
                .fields
                .iter()
                .map(|(field, _)| format!("`{field}`"));
            let help = format!("it has {}", has.collect::<Vec<_>>().join(", "));
            self.error(Diagnostic::new(value.span, message).help(help));
        }
        let given = |field: &String| fields.iter().any(|(name, _)| name == field);
        if let Some((missing, _)) = structure.fields.iter().find(|(field, _)| !given(field)) {
            let message = format!("`{}` needs its field `{missing}`", structure.name);
            return self.error(Diagnostic::new(span, message));
        }
        if structure.fields.iter().any(|(_, ty)| *ty == Type::Error) {
            return Type::Error;
        }
        Type::Struct(id, structure.name.clone())
    }

    pub(super) fn reference(&mut self, inner: &mut Expr, mutable: bool) -> Type {
        let found = self.expr(inner);
        let found = self.table.shallow(&found);
        match (&inner.kind, found) {
            (_, Type::Error) => Type::Error,
            (ExprKind::Workgroup(index), Type::Array(elem, _)) => Type::Slice {
                elem,
                writable: mutable,
                source: Some(Source::Workgroup(*index)),
            },
            (
                _,
                Type::Slice {
                    elem,
                    writable,
                    source,
                },
            ) => {
                if mutable && !writable {
                    let name = self.place_name(inner);
                    let message = format!("`{name}` is a read-only binding");
                    self.error(
                        Diagnostic::new(inner.span, message)
                            .help(format!("take it as `{name}: &mut [{elem}]`")),
                    );
                }
                Type::Slice {
                    elem,
                    writable: mutable && writable,
                    source,
                }
            }
            (ExprKind::Local(_), ty) if mutable => {
                self.writable(inner);
                Type::Pointer(Box::new(ty))
            }
            _ => {
                let diagnostic = Diagnostic::new(
                    inner.span,
                    "only whole variables and slices can be borrowed, and only as an argument",
                );
                self.error(diagnostic.help("pass the value, or `&mut` a local variable"))
            }
        }
    }
}

/// Makes `base`, a pointer to a value of type `inner`, that value.
pub(super) fn dereferenced(base: &mut Expr, inner: Type) -> Type {
    let pointer = std::mem::replace(base, Expr::new(ExprKind::Bool(false), base.span));
    let span = pointer.span;
    *base = Expr::typed(ExprKind::Deref(Box::new(pointer)), span, inner.clone());
    inner
}

/// The type of a vector's components; of anything else, the type itself.
fn element(ty: &Type) -> &Type {
    match ty {
        Type::Vector(elem, _) => elem,
        other => other,
    }
}

/// The place of the value that `expr` ends with: the tail of a block rather than its braces.
pub(super) fn value_span(expr: &Expr) -> Span {
    match &expr.kind {
        ExprKind::Block(Block {
            tail: Some(tail), ..
        }) => value_span(tail),
        _ => expr.span,
    }
}
