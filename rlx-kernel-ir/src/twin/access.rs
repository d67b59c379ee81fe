//! Places: variables, memory, and what lies in them.

use rlx_kernel_twin::program::{MemoryId, Op, Preload, Reg, Regs, Space};

use super::{Binding, Lower, Result, Value, unsupported};
use crate::expr::{Expr, ExprKind};
use crate::layout;
use crate::span::Span;
use crate::types::{Source, Type};

/// What a place is a part of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    /// A variable.
    Registers(Regs),
    /// A binding or a workgroup variable.
    Memory(MemoryId),
}

/// Somewhere that a value lies.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub root: Root,
    /// A computed address: registers of the variable, or bytes of the memory.
    pub address: Option<Reg>,
    /// What is added to it.
    pub offset: u32,
    pub ty: Type,
    /// The author's name for it.
    pub name: String,
}

/// What an index runs over.
enum Length {
    Known(u32),
    Of(MemoryId),
}

impl Lower<'_> {
    /// What one element, or one field before the next, takes in the root's unit.
    fn size(&self, root: Root, ty: &Type, span: Span) -> Result<u32> {
        match root {
            Root::Registers(_) => self.words(ty, span),
            Root::Memory(id) => {
                let memory = self.memory(id);
                let packed =
                    memory.is_some_and(|memory| matches!(memory.space, Space::Workgroup { .. }));
                self.stride(ty, packed, span)
            }
        }
    }

    /// The place that `expr` is; a value is kept in registers of its own.
    pub(super) fn place(&mut self, expr: &Expr, written: bool) -> Result<Place> {
        match &expr.kind {
            ExprKind::Local(local) => {
                let frame = self.frames.last();
                match frame.and_then(|frame| frame.locals.get(local)) {
                    Some(Binding::Place(place)) => Ok(place.clone()),
                    Some(Binding::Registers(first)) => {
                        let first = *first;
                        let name = self.local_name(*local).to_string();
                        self.in_registers(first, &expr.ty, name, expr.span)
                    }
                    None => Err(unsupported(
                        format!("the variable `{}` here", self.local_name(*local)),
                        expr.span,
                    )),
                }
            }
            ExprKind::Workgroup(index) => {
                let memory = self.source(Source::Workgroup(*index));
                Ok(self.whole(memory, expr.ty.clone()))
            }
            ExprKind::Deref(inner) | ExprKind::Ref(_, inner) => self.place(inner, written),
            ExprKind::Index(base, index) => {
                if let Type::Slice {
                    elem,
                    source: Some(source),
                    ..
                } = &base.ty
                {
                    let memory = self.source(*source);
                    let place = self.whole(memory, (**elem).clone());
                    let len = match source {
                        Source::Binding(_) | Source::Table(_) => Length::Of(memory),
                        Source::Workgroup(index) => self.workgroup_len(*index, memory),
                    };
                    return self.element(place, (**elem).clone(), index, &len, written);
                }
                let place = self.place(base, written)?;
                let (elem, len) = match &place.ty {
                    Type::Array(elem, len) => ((**elem).clone(), Length::Known(*len)),
                    Type::Vector(elem, len) => ((**elem).clone(), Length::Known((*len).into())),
                    other => {
                        return Err(unsupported(format!("an index into `{other}`"), base.span));
                    }
                };
                let len = match (&base.kind, place.root) {
                    (ExprKind::Workgroup(index), Root::Memory(id)) => {
                        self.workgroup_len(*index, id)
                    }
                    _ => len,
                };
                self.element(place, elem, index, &len, written)
            }
            ExprKind::Field(base, name) if !is_swizzle(base, name) => {
                let place = self.place(base, written)?;
                self.field(place, name, expr.span)
            }
            _ => {
                let value = self.value(expr, None)?;
                self.in_registers(value.first, &expr.ty, String::new(), expr.span)
            }
        }
    }

    /// What an index into workgroup variable `index` runs over.
    fn workgroup_len(&self, index: usize, memory: MemoryId) -> Length {
        let kernel = self.module.kernel.as_ref();
        let var = kernel.and_then(|kernel| kernel.workgroup.get(index));
        match var.map(|var| (&var.ty, &var.len)) {
            Some((Type::Array(..), Some(_))) => Length::Of(memory),
            Some((Type::Array(_, len), None)) => Length::Known(*len),
            Some((Type::Vector(_, len), _)) => Length::Known((*len).into()),
            _ => Length::Known(0),
        }
    }

    fn in_registers(&self, first: Reg, ty: &Type, name: String, span: Span) -> Result<Place> {
        Ok(Place {
            root: Root::Registers(Regs::new(first, self.words(ty, span)?)),
            address: None,
            offset: 0,
            ty: ty.clone(),
            name,
        })
    }

    fn whole(&self, memory: MemoryId, ty: Type) -> Place {
        Place {
            root: Root::Memory(memory),
            address: None,
            offset: 0,
            ty,
            name: self
                .memory(memory)
                .map_or_else(String::new, |memory| memory.name.clone()),
        }
    }

    fn element(
        &mut self,
        mut place: Place,
        elem: Type,
        index: &Expr,
        len: &Length,
        written: bool,
    ) -> Result<Place> {
        let stride = self.size(place.root, &elem, index.span)?;
        place.ty = elem;
        if let (Some(at), Length::Known(len)) = (self.eval(index), len)
            && let Ok(at) = u32::try_from(at)
            && at < *len
        {
            place.offset += at * stride;
            return Ok(place);
        }
        let value = self.value(index, None)?;
        let len = match len {
            Length::Known(len) => self.constant(*len),
            Length::Of(memory) => self.preload(Preload::Length(*memory)),
        };
        let to = self.alloc(1, index.span)?;
        let what = self.name_id(if place.name.is_empty() {
            "value"
        } else {
            &place.name
        });
        let op = Op::Index {
            to,
            add: place.address,
            index: value.first,
            stride,
            len,
            signed: index.ty == Type::I32,
            written,
            what,
        };
        self.emit(op, index.span);
        place.address = Some(to);
        Ok(place)
    }

    fn field(&self, mut place: Place, name: &str, span: Span) -> Result<Place> {
        match place.ty.clone() {
            Type::Vector(elem, _) => {
                let at = ["x", "y", "z", "w"].iter().position(|field| *field == name);
                let at = at.ok_or_else(|| unsupported(format!("the field `{name}`"), span))?;
                place.offset += at as u32 * self.size(place.root, &elem, span)?;
                place.ty = *elem;
            }
            Type::Struct(id, _) => {
                let fields = self
                    .module
                    .structure(id)
                    .map_or(&[][..], |structure| &structure.fields);
                if let Root::Memory(memory) = place.root
                    && let Some(Space::Storage { .. }) =
                        self.memory(memory).map(|memory| memory.space)
                {
                    // The layout that the host shares, with its gaps.
                    let offsets = layout::offsets(self.module, id).unwrap_or_default();
                    let mut all = fields.iter().zip(offsets);
                    let found = all.find(|((field, _), _)| field == name);
                    let ((_, ty), offset) =
                        found.ok_or_else(|| unsupported(format!("the field `{name}`"), span))?;
                    place.offset += offset;
                    place.ty = ty.clone();
                    if !place.name.is_empty() {
                        place.name = format!("{}.{name}", place.name);
                    }
                    return Ok(place);
                }
                let mut found = None;
                for (field, ty) in fields {
                    if field == name {
                        found = Some(ty.clone());
                        break;
                    }
                    place.offset += self.size(place.root, ty, span)?;
                }
                place.ty = found.ok_or_else(|| unsupported(format!("the field `{name}`"), span))?;
            }
            other => return Err(unsupported(format!("a field of `{other}`"), span)),
        }
        if !place.name.is_empty() {
            place.name = format!("{}.{name}", place.name);
        }
        Ok(place)
    }

    pub(super) fn read(&mut self, place: &Place, want: Option<Reg>, span: Span) -> Result<Value> {
        let count = self.words(&place.ty, span)?;
        let owned = |first| Value { first, owned: true };
        match (place.root, place.address) {
            (Root::Registers(regs), None) => {
                let value = Value {
                    first: regs.at(place.offset),
                    owned: false,
                };
                Ok(self.deliver(value, count, want, span))
            }
            (Root::Registers(from), Some(address)) => {
                let first = self.target(want, count, span)?;
                let op = Op::Pick {
                    to: Regs::new(first, count),
                    from,
                    address,
                    offset: place.offset,
                };
                self.emit(op, span);
                Ok(owned(first))
            }
            (Root::Memory(memory), address) => {
                let first = self.target(want, count, span)?;
                for run in self.runs(memory, &place.ty, span)? {
                    let to = Regs::new(Reg(first.0 + run.register), run.count);
                    let offset = place.offset + run.offset;
                    let op = if run.halves {
                        Op::LoadHalf {
                            to,
                            memory,
                            address,
                            offset,
                        }
                    } else {
                        Op::Load {
                            to,
                            memory,
                            address,
                            offset,
                        }
                    };
                    self.emit(op, span);
                }
                Ok(owned(first))
            }
        }
    }

    pub(super) fn write(&mut self, place: &Place, value: Reg, span: Span) -> Result<()> {
        let count = self.words(&place.ty, span)?;
        let from = Regs::new(value, count);
        let offset = place.offset;
        let op = match (place.root, place.address) {
            (Root::Registers(regs), None) => Op::Copy {
                to: Regs::new(regs.at(offset), count),
                from,
            },
            (Root::Registers(to), Some(address)) => Op::Put {
                from,
                to,
                address,
                offset,
            },
            (Root::Memory(memory), address) => {
                for run in self.runs(memory, &place.ty, span)? {
                    let from = Regs::new(Reg(value.0 + run.register), run.count);
                    let offset = offset + run.offset;
                    let op = if run.halves {
                        Op::StoreHalf {
                            from,
                            memory,
                            address,
                            offset,
                        }
                    } else {
                        Op::Store {
                            from,
                            memory,
                            address,
                            offset,
                        }
                    };
                    self.emit(op, span);
                }
                return Ok(());
            }
        };
        self.emit(op, span);
        Ok(())
    }
}

/// Whether a field is several components of a vector, which are no place.
pub(super) fn is_swizzle(base: &Expr, name: &str) -> bool {
    matches!(base.ty, Type::Vector(..)) && name.len() > 1
}
