//! Places in memory, and parts of values.

use super::{Access, Follower, Lanes, Value};
use crate::expr::{Expr, ExprKind};
use crate::types::{Source, Type};

/// A place in memory.
pub(super) struct Place {
    source: Source,
    /// Each index, and how many of the next type there are; none where it is not known.
    indices: Option<Vec<(Lanes, Option<u32>)>>,
    ty: Type,
    /// Whether all lanes mean the same.
    uniform: bool,
}

impl Follower<'_> {
    /// The value of an element, a component or a field.
    pub fn part(&mut self, expr: &Expr) -> Value {
        if let Some(place) = self.place(expr) {
            let uniform = place.uniform;
            self.access(place, false, expr);
            return if uniform {
                Value::Uniform
            } else {
                Value::Unknown
            };
        }
        match &expr.kind {
            ExprKind::Field(base, name) => {
                let base = self.expr(base);
                let part = match (&base, component(name)) {
                    (Value::Vector(parts), Some(at)) => parts.get(at).cloned(),
                    _ => None,
                };
                part.unwrap_or_else(|| Value::of_all([&base]))
            }
            ExprKind::Index(base, index) => {
                let (base, at) = (self.expr(base), self.expr(index));
                let constant = match &at {
                    Value::Lanes(lanes) => lanes.constant().and_then(|at| usize::try_from(at).ok()),
                    _ => None,
                };
                let part = match (&base, constant) {
                    (Value::Vector(parts), Some(at)) => parts.get(at).cloned(),
                    _ => None,
                };
                part.unwrap_or_else(|| Value::of_all([&base, &at]))
            }
            _ => Value::Unknown,
        }
    }

    /// The place in memory that `expr` names; none where it is a value or a variable.
    pub fn place(&mut self, expr: &Expr) -> Option<Place> {
        match &expr.kind {
            ExprKind::Binding(index) => self.memory(Source::Binding(*index)),
            ExprKind::Workgroup(index) => self.memory(Source::Workgroup(*index)),
            ExprKind::Local(_) => match &expr.ty {
                Type::Slice {
                    source: Some(source),
                    ..
                } => self.memory(*source),
                _ => None,
            },
            ExprKind::Ref(_, inner) | ExprKind::Deref(inner) => self.place(inner),
            ExprKind::Index(base, index) => {
                let mut place = self.place(base)?;
                let at = self.expr(index);
                let (elem, len) = match &place.ty {
                    Type::Slice { elem, .. } => ((**elem).clone(), None),
                    Type::Array(elem, len) => ((**elem).clone(), Some(*len)),
                    Type::Vector(elem, len) => ((**elem).clone(), Some(u32::from(*len))),
                    _ => (Type::Unknown, None),
                };
                place.uniform &= at.is_uniform();
                let lanes = self.lanes(&at);
                place.then(lanes.map(|lanes| (lanes, len)));
                place.ty = elem;
                Some(place)
            }
            ExprKind::Field(base, name) => {
                let mut place = self.place(base)?;
                let at = match &place.ty {
                    Type::Vector(_, len) => {
                        component(name).map(|at| (Lanes::number(at as i64), Some(u32::from(*len))))
                    }
                    _ => None,
                };
                place.then(at);
                place.ty = expr.ty.clone();
                Some(place)
            }
            _ => None,
        }
    }

    fn memory(&self, source: Source) -> Option<Place> {
        let ty = match source {
            Source::Binding(index) => Type::Slice {
                elem: Box::new(self.kernel.bindings.get(index)?.elem.clone()),
                writable: false,
                source: Some(source),
            },
            Source::Workgroup(index) => self.kernel.workgroup.get(index)?.ty.clone(),
            // Where its codes fall is the weights' affair.
            Source::Table(_) => return None,
        };
        Some(Place {
            source,
            indices: Some(Vec::new()),
            ty,
            uniform: true,
        })
    }

    /// Keeps an access.
    pub fn access(&mut self, place: Place, write: bool, expr: &Expr) {
        let Some(indices) = place.indices else {
            return;
        };
        if indices.is_empty() || !self.live {
            return;
        }
        let (span, inside) = match self.calls.first() {
            Some(call) => {
                let name = self.frame.function.name.clone();
                (*call, Some((name, expr.span)))
            }
            None => (expr.span, None),
        };
        self.seen.accesses.push(Access {
            source: place.source,
            write,
            indices,
            ty: place.ty,
            statement: self.statement,
            active: self.active,
            span,
            inside,
        });
    }
}

impl Place {
    fn then(&mut self, index: Option<(Lanes, Option<u32>)>) {
        match (&mut self.indices, index) {
            (Some(indices), Some(index)) => indices.push(index),
            (indices, _) => *indices = None,
        }
    }
}

fn component(name: &str) -> Option<usize> {
    match name {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        "w" => Some(3),
        _ => None,
    }
}
