//! Inference variables.

use super::Infer;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::item::ItemId;
use crate::span::Span;
use crate::types::{Scalar, Type};

/// What an inference variable may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Any type.
    Any,
    /// An integer: the type of an unsuffixed literal.
    Int,
    /// A float.
    Float,
}

/// The inference variables of one function.
#[derive(Debug, Default)]
pub(super) struct Table {
    variables: Vec<(Kind, Option<Type>)>,
}

impl Table {
    pub fn fresh(&mut self, kind: Kind) -> Type {
        self.variables.push((kind, None));
        Type::Infer(self.variables.len() as u32 - 1)
    }

    fn variable(&self, id: u32) -> (Kind, Option<&Type>) {
        self.variables
            .get(id as usize)
            .map_or((Kind::Any, None), |(kind, bound)| (*kind, bound.as_ref()))
    }

    /// `ty` with its outermost variable followed as far as it is known.
    pub fn shallow(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::Infer(id) = ty {
            match self.variable(id).1 {
                Some(bound) => ty = bound.clone(),
                None => break,
            }
        }
        ty
    }

    /// `ty` with every variable replaced that is known.
    pub fn deep(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            Type::Vector(elem, len) => Type::Vector(Box::new(self.deep(&elem)), len),
            Type::Array(elem, len) => Type::Array(Box::new(self.deep(&elem)), len),
            Type::Matrix(elem, role, size) => Type::Matrix(Box::new(self.deep(&elem)), role, size),
            Type::Pointer(inner) => Type::Pointer(Box::new(self.deep(&inner))),
            ty => ty,
        }
    }

    /// `ty` with every variable replaced: unknown integers are `i32`, unknown floats `f32`.
    pub fn settled(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            Type::Infer(id) => match self.variable(id).0 {
                Kind::Int => Type::I32,
                Kind::Float => Type::F32,
                Kind::Any => Type::Error,
            },
            Type::Vector(elem, len) => Type::Vector(Box::new(self.settled(&elem)), len),
            Type::Array(elem, len) => Type::Array(Box::new(self.settled(&elem)), len),
            Type::Matrix(elem, role, size) => {
                Type::Matrix(Box::new(self.settled(&elem)), role, size)
            }
            Type::Pointer(inner) => Type::Pointer(Box::new(self.settled(&inner))),
            ty => ty,
        }
    }

    pub fn kind(&self, ty: &Type) -> Option<Kind> {
        match ty {
            Type::Infer(id) => Some(self.variable(*id).0),
            _ => None,
        }
    }

    fn bind(&mut self, id: u32, ty: Type) -> Option<Type> {
        let kind = self.variable(id).0;
        let fits = match (kind, &ty) {
            (Kind::Any, _) | (_, Type::Error) => true,
            (Kind::Int, Type::Scalar(scalar)) => scalar.is_int(),
            (Kind::Float, Type::Scalar(scalar)) => *scalar == Scalar::F32,
            _ => false,
        };
        if !fits {
            return None;
        }
        self.variables[id as usize].1 = Some(ty.clone());
        Some(ty)
    }

    pub fn unify(&mut self, a: &Type, b: &Type) -> Option<Type> {
        let (a, b) = (self.shallow(a), self.shallow(b));
        match (a, b) {
            (Type::Infer(id), Type::Error) | (Type::Error, Type::Infer(id))
                if self.variable(id).0 == Kind::Any =>
            {
                self.bind(id, Type::Error)
            }
            (Type::Error, _) | (_, Type::Error) => Some(Type::Error),
            (Type::Never, other) | (other, Type::Never) => Some(other),
            (Type::Infer(a), Type::Infer(b)) if a == b => Some(Type::Infer(a)),
            (Type::Infer(a), Type::Infer(b)) => {
                let (ka, kb) = (self.variable(a).0, self.variable(b).0);
                match (ka, kb) {
                    (Kind::Any, _) => {
                        self.variables[a as usize].1 = Some(Type::Infer(b));
                        Some(Type::Infer(b))
                    }
                    (_, Kind::Any) => {
                        self.variables[b as usize].1 = Some(Type::Infer(a));
                        Some(Type::Infer(a))
                    }
                    _ if ka == kb => {
                        self.variables[a as usize].1 = Some(Type::Infer(b));
                        Some(Type::Infer(b))
                    }
                    _ => None,
                }
            }
            (Type::Infer(id), ty) | (ty, Type::Infer(id)) => self.bind(id, ty),
            (Type::Vector(a, n), Type::Vector(b, m)) if n == m => {
                Some(Type::Vector(Box::new(self.unify(&a, &b)?), n))
            }
            (Type::Array(a, n), Type::Array(b, m)) if n == m => {
                Some(Type::Array(Box::new(self.unify(&a, &b)?), n))
            }
            (Type::Matrix(a, role, n), Type::Matrix(b, other, m)) if role == other && n == m => {
                Some(Type::Matrix(Box::new(self.unify(&a, &b)?), role, n))
            }
            (Type::Pointer(a), Type::Pointer(b)) => {
                Some(Type::Pointer(Box::new(self.unify(&a, &b)?)))
            }
            (
                Type::Block { format, source },
                Type::Block {
                    format: other,
                    source: from,
                },
            ) if format == other && (source.is_none() || from.is_none() || source == from) => {
                Some(Type::Block {
                    format,
                    source: source.or(from),
                })
            }
            (a, b) if a == b => Some(a),
            _ => None,
        }
    }
}

impl Infer<'_> {
    pub(super) fn unify(&mut self, a: &Type, b: &Type) -> Option<Type> {
        self.table.unify(a, b)
    }

    /// Reports unless `value`, of type `found`, can be `expected`.
    pub(super) fn expect(&mut self, value: &Expr, expected: &Type, found: &Type) -> Type {
        self.expect_at(super::expr::value_span(value), expected, found, Some(value))
    }

    /// Reports at `span` unless `found` can be `expected`.
    pub(super) fn expect_at(
        &mut self,
        span: Span,
        expected: &Type,
        found: &Type,
        value: Option<&Expr>,
    ) -> Type {
        if let Some(ty) = self.unify(expected, found) {
            return ty;
        }
        let (wanted, got) = (self.table.deep(expected), self.table.deep(found));
        let message = format!(
            "expected {}, found {}",
            self.describe(&wanted),
            self.describe(&got)
        );
        let mut diagnostic = Diagnostic::new(span, message);
        if let Some(help) = self.conversion(&wanted, &got, value) {
            diagnostic = diagnostic.help(help);
        }
        self.error(diagnostic)
    }

    /// A type as its author writes it.
    pub(super) fn spell(&self, ty: &Type) -> String {
        let format = |id: &ItemId| {
            self.module
                .format(*id)
                .map_or("_", |format| format.name.as_str())
        };
        match ty {
            Type::Slice { elem, writable, .. } => {
                let mutable = if *writable { "mut " } else { "" };
                format!("&{mutable}[{}]", self.spell(elem))
            }
            Type::Packed(id) => format!("Packed<{}>", format(id)),
            Type::Block { format: id, .. } => format!("Block<{}>", format(id)),
            other => self.table.deep(other).to_string(),
        }
    }

    /// A type in the words of a message.
    pub(super) fn describe(&self, ty: &Type) -> String {
        let ty = self.table.deep(ty);
        match (&ty, self.table.kind(&ty)) {
            (_, Some(Kind::Int)) => "an integer".into(),
            (_, Some(Kind::Float)) => "a float".into(),
            (_, Some(Kind::Any)) => "a value whose type is not known yet".into(),
            (Type::Unit, _) => "no value".into(),
            (Type::Packed(format), _) => match self.module.format(*format) {
                Some(format) => format!("a packed block of {}", format.name),
                None => "a packed block".into(),
            },
            (Type::Block { format, .. }, _) => match self.module.format(*format) {
                Some(format) => format!("a block of {}", format.name),
                None => "a block".into(),
            },
            _ => format!("`{}`", self.spell(&ty)),
        }
    }

    /// How to turn `value` of type `found` into `expected`, where one word does it.
    pub(super) fn conversion(
        &self,
        expected: &Type,
        found: &Type,
        value: Option<&Expr>,
    ) -> Option<String> {
        match (expected, found) {
            (_, Type::Atomic(_)) | (Type::Atomic(_), _) => {
                Some("an atomic is read by `.load()`".into())
            }
            (Type::Scalar(Scalar::F16), _) => to_half(self.table.kind(found), found, value),
            (Type::Scalar(to), Type::Scalar(Scalar::F16)) if to.is_float() => {
                Some("convert it with `.to_f32()`".into())
            }
            (Type::Scalar(to), Type::Scalar(Scalar::F16)) if to.is_int() => {
                Some(format!("convert it with `.to_f32() as {}`", to.name()))
            }
            (Type::Infer(_), Type::Scalar(Scalar::F16))
                if self.table.kind(expected) == Some(Kind::Float) =>
            {
                Some("float literals are `f32`: write `f16::from_f32(1.0)`".into())
            }
            (Type::Vector(to, n), Type::Vector(from, m)) if n == m => {
                match (to.scalar()?, from.scalar()?) {
                    (Scalar::F16, Scalar::F32) => Some("convert it with `to_f16(v)`".into()),
                    (Scalar::F32, Scalar::F16 | Scalar::I32 | Scalar::U32) => {
                        Some("convert it with `to_f32(v)`".into())
                    }
                    _ => None,
                }
            }
            (Type::Scalar(to), Type::Scalar(from))
                if *to != Scalar::Bool && *from != Scalar::Bool =>
            {
                Some(format!("convert it with `as {}`", to.name()))
            }
            (Type::Infer(_), Type::Scalar(from))
                if self.table.kind(expected) == Some(Kind::Float) && from.is_int() =>
            {
                Some("convert it with `as f32`".into())
            }
            (Type::Scalar(Scalar::Bool), Type::Scalar(_)) => Some("compare it: `x != 0`".into()),
            (Type::Scalar(to), Type::Scalar(Scalar::Bool)) => Some(format!(
                "convert it with `as {}`, or choose with `if`",
                to.name()
            )),
            (Type::Scalar(Scalar::F32) | Type::Infer(_), _)
                if matches!(self.table.kind(expected), None | Some(Kind::Float))
                    && self.table.kind(found) == Some(Kind::Int) =>
            {
                match value.map(|value| &value.kind) {
                    Some(ExprKind::Int(number)) => Some(format!("write `{number}.0`")),
                    _ => Some("write float literals, such as `1.0`".into()),
                }
            }
            (Type::Scalar(scalar), _)
                if scalar.is_int() && self.table.kind(found) == Some(Kind::Float) =>
            {
                match value.map(|value| &value.kind) {
                    Some(ExprKind::Float(text)) if text.ends_with(".0") => {
                        Some(format!("write `{}`", text.trim_end_matches(".0")))
                    }
                    _ => Some("write integer literals, such as `1`".into()),
                }
            }
            (Type::Vector(_, len), Type::Scalar(_) | Type::Infer(_)) => Some(format!(
                "spread it over the components: `Vec{len}::splat(x)`"
            )),
            (Type::Scalar(Scalar::Bool), Type::Vector(elem, _)) if **elem == Type::BOOL => {
                Some("write `any(..)` or `all(..)`".into())
            }
            (Type::Scalar(_), Type::Vector(..)) => Some("take one component, such as `.x`".into()),
            _ => None,
        }
    }
}

/// How to turn what is found into an `f16`.
fn to_half(kind: Option<Kind>, found: &Type, value: Option<&Expr>) -> Option<String> {
    let text = match value.map(|value| &value.kind) {
        Some(ExprKind::Float(text)) => text.clone(),
        Some(ExprKind::Int(number)) => format!("{number}.0"),
        _ => "x".into(),
    };
    match (kind, found) {
        (Some(Kind::Float | Kind::Int), _) | (_, Type::Scalar(Scalar::F32)) => {
            Some(format!("write `f16::from_f32({text})`"))
        }
        (_, Type::Scalar(Scalar::Bool)) => Some("choose with `if`".into()),
        (_, Type::Scalar(_)) => Some(format!("write `f16::from_f32({text} as f32)`")),
        (_, Type::Vector(..)) => Some("take one component, such as `.x`".into()),
        _ => None,
    }
}
