//! Slices, packed weights and the fields of blocks.

use super::Infer;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::item::{Field, FieldKind, ItemId, OPEN};
use crate::span::Span;
use crate::types::{Scalar, Source, Type};

impl Infer<'_> {
    /// `base[index]`
    pub(super) fn index(&mut self, base: &mut Expr, index: &mut Expr) -> Type {
        let container = self.expr(base);
        let at = self.expr(index);
        let at = self.table.shallow(&at);
        let is_literal = self.table.kind(&at).is_some();
        if is_literal {
            self.expect(index, &Type::U32, &at);
        } else if !matches!(at, Type::Error)
            && !matches!(at, Type::Scalar(Scalar::I32 | Scalar::U32))
        {
            let found = self.describe(&at);
            let message = format!("an index is `u32` or `i32`, found {found}");
            self.error(Diagnostic::new(index.span, message).help("convert it with `as u32`"));
        }
        match self.table.shallow(&container) {
            Type::Slice { elem, source, .. } => match *elem {
                Type::Packed(format) => {
                    let name = self.place_name(base);
                    let kind = self
                        .module
                        .format(format)
                        .map_or("packed", |format| &format.name);
                    let message =
                        format!("`{name}` holds packed {kind} weights, which cannot be indexed");
                    let help = format!("take a block, `{name}.block(i)`, and decode it");
                    self.error(Diagnostic::new(base.span, message).help(help))
                }
                elem => {
                    let len = source.and_then(|source| self.fixed_length(source));
                    if let Some(ExprKind::Int(len)) = len.map(|len| len.kind) {
                        self.constant_index(index, u32::try_from(len).unwrap_or(u32::MAX));
                    }
                    elem
                }
            },
            Type::Array(elem, len) => {
                self.constant_index(index, len);
                *elem
            }
            Type::Vector(elem, len) => {
                self.constant_index(index, u32::from(len));
                *elem
            }
            Type::Pointer(inner) => match *inner {
                Type::Array(elem, _) | Type::Vector(elem, _) => *elem,
                other => self.not_indexable(base, &other),
            },
            Type::Error => Type::Error,
            other => self.not_indexable(base, &other),
        }
    }

    fn not_indexable(&mut self, base: &Expr, ty: &Type) -> Type {
        let found = self.describe(ty);
        let mut diagnostic = Diagnostic::new(base.span, format!("{found} cannot be indexed"));
        if let Type::Matrix(..) = ty {
            diagnostic = diagnostic.help(super::matrix::NO_ELEMENTS);
        }
        self.error(diagnostic)
    }

    fn constant_index(&mut self, index: &Expr, len: u32) {
        if let ExprKind::Int(value) = index.kind
            && value >= u64::from(len)
        {
            let message = format!("index {value} is out of range: there are {len} elements");
            self.error(Diagnostic::new(index.span, message));
        }
    }

    /// Methods of slices; `None` where the receiver is none.
    pub(super) fn slice_method(
        &mut self,
        receiver: &Expr,
        name: &str,
        args: &mut [Expr],
        span: Span,
    ) -> Option<(ExprKind, Type)> {
        let Type::Slice { elem, source, .. } = self.table.shallow(&receiver.ty) else {
            return None;
        };
        let source = source.unwrap_or(Source::Binding(0));
        Some(match (name, &*elem, args) {
            ("len", Type::Packed(_), []) => {
                let message = "packed weights do not know how many blocks they are";
                self.error(
                    Diagnostic::new(span, message).help("pass the number of blocks as a param"),
                );
                (ExprKind::Length(source), Type::Error)
            }
            ("len", _, []) => match self.fixed_length(source) {
                Some(len) => (len.kind, Type::U32),
                None => (ExprKind::Length(source), Type::U32),
            },
            ("block", Type::Packed(format), [index]) => {
                let found = self.expr(index);
                self.expect(index, &Type::U32, &found);
                let bytes = self
                    .module
                    .format(*format)
                    .map_or(0, |format| format.consts.bytes);
                let address = index
                    .clone()
                    .u32_op(BinaryOp::Mul, Expr::u32(u64::from(bytes), span));
                (
                    address.kind,
                    Type::Block {
                        format: *format,
                        source: Some(source),
                    },
                )
            }
            _ => {
                let has = if matches!(*elem, Type::Packed(_)) {
                    "`block(i)`"
                } else {
                    "`len()`"
                };
                let message =
                    format!("a slice has no method `{name}` with these arguments; it has {has}");
                (ExprKind::Int(0), self.error(Diagnostic::new(span, message)))
            }
        })
    }

    /// The elements of a table, or of workgroup memory, which its declaration gives.
    fn fixed_length(&self, source: Source) -> Option<Expr> {
        let index = match source {
            Source::Workgroup(index) => index,
            Source::Table(index) => {
                let len = self.module.tables.get(index)?.len;
                return Some(Expr::u32(u64::from(len), Span::NONE));
            }
            Source::Binding(_) => return None,
        };
        let var = self.module.kernel.as_ref()?.workgroup.get(index)?;
        match (&var.len, &var.ty) {
            (Some(len), _) => Some(len.clone()),
            (None, Type::Array(_, len)) => Some(Expr::u32(u64::from(*len), var.span)),
            _ => None,
        }
    }

    /// The accessors of a block; `None` where the receiver is none.
    pub(super) fn block_field(
        &mut self,
        receiver: &Expr,
        name: &str,
        args: &mut [Expr],
        span: Span,
    ) -> Option<(ExprKind, Type)> {
        let Type::Block { format, source } = self.table.shallow(&receiver.ty) else {
            return None;
        };
        Some(match self.accessor(format, name, args, span) {
            Err(diagnostic) => (ExprKind::Int(0), self.error(diagnostic)),
            Ok((kind, align, offset)) => {
                let mut block = receiver.clone();
                block.ty = Type::U32;
                let address = block.u32_op(BinaryOp::Add, offset);
                let source = source.unwrap_or(Source::Binding(0));
                let ty = kind.ty();
                (
                    ExprKind::Load {
                        source,
                        kind,
                        align,
                        address: Box::new(address),
                    },
                    ty,
                )
            }
        })
    }

    /// What accessor `name` of `format` reads: its kind, an alignment that is certain, and the
    /// offset in bytes.
    fn accessor(
        &mut self,
        format: ItemId,
        name: &str,
        args: &mut [Expr],
        span: Span,
    ) -> Result<(FieldKind, u32, Expr), Diagnostic> {
        let module = self.module;
        let Some(format) = module.format(format) else {
            return Err(Diagnostic::new(span, "this block has no known format"));
        };
        let by_name = |wanted: &str| format.fields.iter().find(|field| field.name == wanted);
        let word = name
            .strip_suffix("_u32")
            .and_then(by_name)
            .filter(|field| field.count.is_some());
        let (field, kind) = match (by_name(name), word) {
            (Some(field), _) => (field, field.kind),
            (None, Some(field)) => (field, FieldKind::U32),
            (None, None) => {
                let fields: Vec<_> = format
                    .fields
                    .iter()
                    .map(|field| format!("`{}`", accessor_text(field)))
                    .collect();
                let message = format!("a block of {} has no field `{name}`", format.name);
                return Err(Diagnostic::new(span, message)
                    .help(format!("its layout has {}", fields.join(", "))));
            }
        };
        let align = power_of_two(format.consts.bytes)
            .min(power_of_two(field.offset))
            .min(power_of_two(kind.size()));
        let offset = Expr::u32(u64::from(field.offset), span);
        match (field.count, args) {
            (None, []) => Ok((kind, align, offset)),
            (Some(count), [index]) => {
                let found = self.expr(index);
                self.expect(index, &Type::U32, &found);
                if count != OPEN {
                    self.constant_index(index, (count * field.kind.size()) / kind.size());
                }
                let step = Expr::u32(u64::from(kind.size()), span);
                let at = index.clone().u32_op(BinaryOp::Mul, step);
                Ok((kind, align, at.u32_op(BinaryOp::Add, offset)))
            }
            (None, _) => Err(Diagnostic::new(
                span,
                format!("`{name}` is a single value: write `{name}()`"),
            )),
            (Some(_), _) => Err(Diagnostic::new(
                span,
                format!("`{name}` holds several values: write `{name}(i)`"),
            )),
        }
    }
}

fn accessor_text(field: &Field) -> String {
    if field.count.is_some() {
        format!("{}(i)", field.name)
    } else {
        format!("{}()", field.name)
    }
}

/// The power of two, at most 4, that divides `value`.
fn power_of_two(value: u32) -> u32 {
    1 << value.trailing_zeros().min(2)
}
