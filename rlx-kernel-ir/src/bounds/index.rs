//! Indices, reads of blocks and tiles of matrices: held to the end of what they lie in.

use super::expr::parts;
use super::poly::Poly;
use super::value::Value;
use super::{Index, Walker};
use crate::expr::{Expr, ExprKind};
use crate::item::FieldKind;
use crate::span::Span;
use crate::types::{Source, Type};

impl Walker<'_> {
    /// The elements of what is indexed, and what it is called.
    pub(super) fn elements(&mut self, base: &Expr) -> Option<(Poly, String)> {
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
    pub(super) fn is_inside(&self, at: &Value, size: i128, length: &Poly) -> bool {
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

    pub(super) fn index(&mut self, base: &Expr, index: &Expr) -> Value {
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
    pub(super) fn check(&mut self, at: &Poly, length: &Poly, name: &str, span: Span) {
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
    pub(super) fn load(
        &mut self,
        source: Source,
        kind: FieldKind,
        align: u32,
        address: &Expr,
        span: Span,
    ) {
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

    /// Checks the last element of a matrix that lies at `place`; the first has been checked.
    pub(super) fn tile(&mut self, matrix: &Type, place: &Expr, stride: &Expr) {
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
}
