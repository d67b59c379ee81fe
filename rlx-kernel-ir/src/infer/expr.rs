//! Types of expressions.

mod operator;

use super::Infer;
use super::unify::Kind;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
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
