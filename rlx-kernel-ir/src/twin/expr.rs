//! Expressions.

use rlx_kernel_twin::program::code::Raw;
use rlx_kernel_twin::program::{Op, Preload, Reg, Regs};

use super::{Lower, Result, Value, unsupported};
use crate::expr::{Expr, ExprKind};
use crate::item::{FieldKind, KernelParam, Module};
use crate::param;
use crate::types::{Scalar, Type};

impl Lower<'_> {
    /// The value of `expr`, in `want` where that is given: registers that nobody else reads.
    pub(super) fn value(&mut self, expr: &Expr, want: Option<Reg>) -> Result<Value> {
        let span = expr.span;
        if let Some(value) = self.eval(expr) {
            let first = self.constant_of(bits(value), &expr.ty);
            let owned = true;
            let count = self.words(&expr.ty, span)?;
            return Ok(self.deliver(Value { first, owned }, count, want, span));
        }
        let constant = |lower: &mut Self, bits: u32| {
            let first = lower.constant(bits);
            let owned = true;
            Ok(lower.deliver(Value { first, owned }, 1, want, span))
        };
        match &expr.kind {
            // The address of a block.
            ExprKind::Int(value) | ExprKind::Hex(value)
                if matches!(expr.ty, Type::Block { .. }) =>
            {
                constant(self, *value as u32)
            }
            // One that its type does not hold.
            ExprKind::Int(_) | ExprKind::Hex(_) => Err(unsupported("this number", span)),
            ExprKind::Bool(value) => constant(self, u32::from(*value)),
            ExprKind::Float(text) => {
                let value: f32 = text
                    .parse()
                    .map_err(|_| unsupported(format!("the number `{text}`"), span))?;
                let value = if expr.ty == Type::F16 {
                    half::f16::from_f32(value).to_f32()
                } else {
                    value
                };
                constant(self, value.to_bits())
            }
            ExprKind::Literal(text) => {
                let value = literal(text)
                    .ok_or_else(|| unsupported(format!("the constant `{text}`"), span))?;
                constant(self, value)
            }
            ExprKind::Const(id) if self.module.overridden(*id).is_some() => {
                let overrides = self.module.overrides();
                let index = overrides.iter().position(|(item, _)| item == id);
                let index = index.unwrap_or_default() as u32;
                let first = self.preload(Preload::Override(index));
                let owned = true;
                Ok(self.deliver(Value { first, owned }, 1, want, span))
            }
            ExprKind::Const(id) => {
                if let Some(first) = self.table(*id) {
                    let count = self.words(&expr.ty, span)?;
                    let owned = true;
                    return Ok(self.deliver(Value { first, owned }, count, want, span));
                }
                let value = self.typed.consts.get(id);
                let value = value.ok_or_else(|| unsupported("this const", span))?;
                self.value(value, want)
            }
            ExprKind::Param(index) => {
                let first = self.param(*index, expr)?;
                let count = self.words(&expr.ty, span)?;
                let owned = true;
                Ok(self.deliver(Value { first, owned }, count, want, span))
            }
            // Several components at once.
            ExprKind::Field(base, name) if super::access::is_swizzle(base, name) => {
                self.swizzle(base, name, expr, want)
            }
            ExprKind::Local(_)
            | ExprKind::Workgroup(_)
            | ExprKind::Index(..)
            | ExprKind::Field(..)
            | ExprKind::Deref(_) => {
                let place = self.place(expr, false)?;
                self.read(&place, want, span)
            }
            ExprKind::Unary(op, inner) => self.unary(*op, inner, expr, want),
            ExprKind::Binary(op, a, b) => self.binary(*op, (a, b), expr, want),
            ExprKind::Cast(inner) => self.cast(inner, expr, want),
            ExprKind::Array(elems) => {
                let elems: Vec<&Expr> = elems.iter().collect();
                self.composite(&elems, expr, want)
            }
            ExprKind::Struct(id, fields) => {
                // Evaluated in the author's order, laid out in the struct's.
                let order = self
                    .module
                    .structure(*id)
                    .map_or(&[][..], |structure| &structure.fields);
                let count = self.words(&expr.ty, span)?;
                let first = self.target(want, count, span)?;
                for (name, value) in fields {
                    let mut offset = 0;
                    for (field, ty) in order {
                        if field == name {
                            break;
                        }
                        offset += self.words(ty, span)?;
                    }
                    self.value(value, Some(Reg(first.0 + offset)))?;
                }
                Ok(Value { first, owned: true })
            }
            ExprKind::Repeat(value, len) => {
                let each = self.words(&value.ty, span)?;
                let count = self.words(&expr.ty, span)?;
                let first = self.target(want, count, span)?;
                let source = self.value(value, None)?.first;
                for index in 0..*len {
                    let to = Regs::new(Reg(first.0 + index * each), each);
                    let from = Regs::new(source, each);
                    self.emit(Op::Copy { to, from }, span);
                }
                Ok(Value { first, owned: true })
            }
            ExprKind::If(..) | ExprKind::Block(_) | ExprKind::Match(..) => {
                let count = self.words(&expr.ty, span)?;
                let first = self.target(want, count, span)?;
                self.tail(expr, Some(Regs::new(first, count)))?;
                Ok(Value { first, owned: true })
            }
            ExprKind::Instance(index, args) => self.instance(*index, args, expr, want),
            ExprKind::Builtin(builtin, args) => self.builtin(builtin, args, expr, want),
            ExprKind::Load {
                source,
                kind,
                address,
                ..
            } => {
                let address = self.value(address, None)?.first;
                let to = self.target(want, 1, span)?;
                let op = Op::Packed {
                    op: raw(*kind),
                    to,
                    memory: self.source(*source),
                    address,
                };
                self.emit(op, span);
                Ok(Value {
                    first: to,
                    owned: true,
                })
            }
            ExprKind::Length(source) => {
                let memory = self.source(*source);
                let first = self.preload(Preload::Length(memory));
                let owned = true;
                Ok(self.deliver(Value { first, owned }, 1, want, span))
            }
            ExprKind::Printed(id, args) => self.printed(*id, args, expr, want),
            ExprKind::Binding(_) | ExprKind::Table(_) | ExprKind::Ref(..) => {
                Err(unsupported("a slice as a value", span))
            }
            ExprKind::Call(..)
            | ExprKind::CallOf(..)
            | ExprKind::Named(..)
            | ExprKind::Method(..) => Err(unsupported("a call that is not resolved", span)),
        }
    }

    /// The registers of a const that is a table of numbers.
    fn table(&mut self, id: crate::item::ItemId) -> Option<Reg> {
        if let Some(first) = self.tables.get(&id) {
            return Some(*first);
        }
        let typed = self.typed;
        let value = typed.consts.get(&id)?;
        let mut words = Vec::new();
        if !matches!(value.ty, Type::Array(..)) || !self.numbers(value, &mut words) {
            return None;
        }
        let first = self.preload_run(words.into_iter().map(Preload::Const));
        self.tables.insert(id, first);
        Some(first)
    }

    /// The words of an array of literals; false for anything else.
    fn numbers(&self, value: &Expr, words: &mut Vec<u32>) -> bool {
        if let Some(number) = self.eval(value) {
            words.push(number as u32);
            if super::is_wide(&value.ty) {
                words.push((number >> 32) as u32);
            }
            return true;
        }
        match &value.kind {
            ExprKind::Array(elems) => elems.iter().all(|elem| self.numbers(elem, words)),
            ExprKind::Repeat(elem, len) => (0..*len).all(|_| self.numbers(elem, words)),
            ExprKind::Float(text) if value.ty == Type::F32 => {
                text.parse::<f32>().is_ok_and(|number| {
                    words.push(number.to_bits());
                    true
                })
            }
            ExprKind::Unary(crate::expr::UnaryOp::Neg, inner) if value.ty == Type::F32 => {
                let done = self.numbers(inner, words);
                if let Some(last) = words.last_mut() {
                    *last ^= 1 << 31;
                }
                done
            }
            _ => false,
        }
    }

    /// `v.zyx`
    fn swizzle(
        &mut self,
        base: &Expr,
        name: &str,
        expr: &Expr,
        want: Option<Reg>,
    ) -> Result<Value> {
        let span = expr.span;
        let source = self.value(base, None)?.first;
        let count = self.words(&expr.ty, span)?;
        let each = count / components(&expr.ty).max(1);
        let first = self.target(want, count, span)?;
        for (index, component) in (0..).zip(name.chars()) {
            let at = "xyzw".find(component).unwrap_or(0) as u32;
            let to = Regs::new(Reg(first.0 + index * each), each);
            let from = Regs::new(Reg(source.0 + at * each), each);
            self.emit(Op::Copy { to, from }, span);
        }
        Ok(Value { first, owned: true })
    }

    /// Values in a row.
    pub(super) fn composite(
        &mut self,
        elems: &[&Expr],
        expr: &Expr,
        want: Option<Reg>,
    ) -> Result<Value> {
        let count = self.words(&expr.ty, expr.span)?;
        let first = self.target(want, count, expr.span)?;
        let mut offset = 0;
        for elem in elems {
            self.value(elem, Some(Reg(first.0 + offset)))?;
            offset += self.words(&elem.ty, elem.span)?;
        }
        Ok(Value { first, owned: true })
    }

    /// The operands of one operation, in order: one that a later one may change is kept.
    pub(super) fn operands(&mut self, exprs: &[&Expr]) -> Result<Vec<Reg>> {
        let mut all = Vec::with_capacity(exprs.len());
        for (index, expr) in exprs.iter().enumerate() {
            let mut value = self.value(expr, None)?;
            let later = exprs.get(index + 1..).unwrap_or_default();
            if !value.owned && later.iter().any(|later| self.acts(later)) {
                let count = self.words(&expr.ty, expr.span)?;
                let to = self.alloc(count, expr.span)?;
                value = self.deliver(value, count, Some(to), expr.span);
            }
            all.push(value.first);
        }
        Ok(all)
    }

    /// The registers of a param.
    fn param(&mut self, index: usize, expr: &Expr) -> Result<Reg> {
        if let Some(first) = self.param_registers.get(&index) {
            return Ok(*first);
        }
        let (offset, _) = self
            .params
            .get(index)
            .copied()
            .ok_or_else(|| unsupported("this param", expr.span))?;
        let kernel = self.module.kernel.as_ref();
        let held = kernel
            .and_then(|kernel| kernel.params.get(index))
            .map(KernelParam::held);
        let held = held.unwrap_or(Type::Error);
        let mut run = Vec::new();
        words_of(self.module, &held, (offset, false), &mut run)
            .ok_or_else(|| unsupported(format!("a param of type `{held}`"), expr.span))?;
        let first = self.preload_run(run);
        self.param_registers.insert(index, first);
        Ok(first)
    }

    /// Whether evaluating `expr` may change a variable.
    pub(super) fn acts(&self, expr: &Expr) -> bool {
        let any = |exprs: &[Expr]| exprs.iter().any(|expr| self.acts(expr));
        match &expr.kind {
            ExprKind::If(condition, then, otherwise) => {
                self.acts(condition)
                    || !then.stmts.is_empty()
                    || then.tail.as_deref().is_some_and(|tail| self.acts(tail))
                    || otherwise.as_deref().is_some_and(|other| self.acts(other))
            }
            ExprKind::Block(block) => {
                !block.stmts.is_empty() || block.tail.as_deref().is_some_and(|tail| self.acts(tail))
            }
            ExprKind::Match(..) => true,
            ExprKind::Instance(index, args) => {
                let instance = self.typed.instances.get(*index);
                let params = instance.map_or(&[][..], |instance| &instance.function.params);
                let by_pointer =
                    |param: &crate::item::Parameter| matches!(param.ty, Type::Pointer(_));
                params.iter().any(by_pointer) || any(args)
            }
            ExprKind::Unary(_, inner)
            | ExprKind::Cast(inner)
            | ExprKind::Field(inner, _)
            | ExprKind::Repeat(inner, _)
            | ExprKind::Ref(_, inner)
            | ExprKind::Deref(inner)
            | ExprKind::Load { address: inner, .. } => self.acts(inner),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => self.acts(a) || self.acts(b),
            ExprKind::Array(args) | ExprKind::Printed(_, args) | ExprKind::Builtin(_, args) => {
                any(args)
            }
            ExprKind::Struct(_, fields) => fields.iter().any(|(_, value)| self.acts(value)),
            _ => false,
        }
    }
}

/// The words of a part of the params at a byte `offset`, in the order of a value's registers.
fn words_of(
    module: &Module,
    ty: &Type,
    (offset, in_row): (u32, bool),
    all: &mut Vec<Preload>,
) -> Option<()> {
    match ty {
        Type::Array(elem, len) => {
            let stride = param::layout(module, ty)?.0.checked_div(*len)?;
            for index in 0..*len {
                words_of(module, elem, (offset + index * stride, true), all)?;
            }
        }
        Type::Struct(id, _) => {
            let fields = &module.structure(*id)?.fields;
            for ((_, ty), place) in fields.iter().zip(param::offsets(module, *id)?) {
                words_of(module, ty, (offset + place, false), all)?;
            }
        }
        plain => {
            let is_half = plain.scalar()? == Scalar::F16 && !in_row;
            all.extend((0..super::words(module, plain)?).map(|word| {
                if is_half {
                    Preload::ParamHalf(offset + 2 * word)
                } else {
                    Preload::Param(offset + 4 * word)
                }
            }));
        }
    }
    Some(())
}

/// The bits of a constant integer or bool.
fn bits(value: i128) -> u64 {
    value as u64
}

/// The bits of an associated const, by its WGSL.
fn literal(text: &str) -> Option<u32> {
    Some(match text {
        "4294967295u" => u32::MAX,
        "0u" => 0,
        "2147483647i" => i32::MAX as u32,
        "i32(-2147483648)" => i32::MIN as u32,
        "0x1.fffffep+127f" => f32::MAX.to_bits(),
        "-0x1.fffffep+127f" => f32::MIN.to_bits(),
        "0x1p-23f" => f32::EPSILON.to_bits(),
        "0x1p-126f" => f32::MIN_POSITIVE.to_bits(),
        // A half, which a register holds as a float.
        half => half.strip_suffix('h')?.parse::<f32>().ok()?.to_bits(),
    })
}

fn raw(kind: FieldKind) -> Raw {
    match kind {
        FieldKind::U8 => Raw::U8,
        FieldKind::I8 => Raw::I8,
        FieldKind::U16 => Raw::U16,
        FieldKind::I16 => Raw::I16,
        FieldKind::U32 => Raw::U32,
        FieldKind::F16 => Raw::F16,
        FieldKind::F32 => Raw::F32,
    }
}

/// Components of a scalar or vector.
pub(super) fn components(ty: &Type) -> u32 {
    match ty {
        Type::Vector(_, len) => u32::from(*len),
        _ => 1,
    }
}

/// The scalar of a value that is computed with.
pub(super) fn scalar(ty: &Type, span: crate::span::Span) -> Result<Scalar> {
    match ty {
        // A block is its address.
        Type::Block { .. } => Ok(Scalar::U32),
        other => other
            .scalar()
            .ok_or_else(|| unsupported(format!("arithmetic of `{other}`"), span)),
    }
}
