//! Builtins, by the one table of them.

use rlx_kernel_twin::program::code::{Fence, Input as Word, Move, Scan};
use rlx_kernel_twin::program::{
    Binary, MemoryId, Op, Pack, Preload, Reduce, Reg, Regs, Ternary, Unary, Unpack, Update,
};

use super::access::Root;
use super::expr::{components, scalar};
use super::operator::width;
use super::{Lower, Result, Value, unsupported};
use crate::builtin::{Builtin, Input, Spelling};
use crate::expr::{BinaryOp, Expr};
use crate::trace;
use crate::types::{Scalar, Type};

/// Where a result goes and where it comes from.
pub(super) struct Site<'e> {
    pub expr: &'e Expr,
    pub args: &'e [Expr],
    pub want: Option<Reg>,
}

impl Lower<'_> {
    pub(super) fn builtin(
        &mut self,
        builtin: &Builtin,
        args: &[Expr],
        expr: &Expr,
        want: Option<Reg>,
    ) -> Result<Value> {
        let site = Site { expr, args, want };
        match builtin.wgsl {
            Spelling::Input(input) => Ok(self.input(input, &site)),
            Spelling::Constructor => self.constructor(&site),
            Spelling::Bitcast => {
                let first = args.first();
                let inner = first.ok_or_else(|| unsupported(builtin.name, expr.span))?;
                self.value(inner, want)
            }
            Spelling::Operator(text) => {
                let comparison = match text {
                    "==" => Some(BinaryOp::Eq),
                    "!=" => Some(BinaryOp::Ne),
                    "<" => Some(BinaryOp::Lt),
                    "<=" => Some(BinaryOp::Le),
                    ">" => Some(BinaryOp::Gt),
                    ">=" => Some(BinaryOp::Ge),
                    _ => None,
                };
                if let (Some(op), [a, b]) = (comparison, args) {
                    return self.binary(op, (a, b), expr, want);
                }
                let op = match text {
                    "+" => Binary::AddWrap,
                    "-" => Binary::SubWrap,
                    _ => Binary::MulWrap,
                };
                let operands = self.all(&site)?;
                self.each_binary(op, &operands, &site)
            }
            Spelling::DivCeil => {
                let kind = scalar(&expr.ty, expr.span)?;
                let (div, rem) = if kind.is_unsigned() {
                    (Binary::DivU, Binary::RemU)
                } else {
                    (Binary::DivI, Binary::RemI)
                };
                let operands = self.all(&site)?;
                let zero = self.constant_of(0, &expr.ty);
                let width = width(kind);
                let first = self.target(want, components(&expr.ty) * width, expr.span)?;
                for index in 0..components(&expr.ty) {
                    let operands = pair(&operands, index * width);
                    let quotient = self.scalar_op(div, kind, operands, expr)?;
                    let rest = self.scalar_op(rem, kind, operands, expr)?;
                    let more = self.alloc(width, expr.span)?;
                    if width == 2 {
                        // The high word of a `bool` is 0.
                        let (to, from) = (Reg(more.0 + 1), self.constant(0));
                        let (to, from) = (Regs::new(to, 1), Regs::new(from, 1));
                        self.emit(Op::Copy { to, from }, expr.span);
                    }
                    self.pair(Binary::Ne, kind, more, [rest, zero], expr.span)?;
                    let to = Reg(first.0 + index * width);
                    self.pair(Binary::AddWrap, kind, to, [quotient, more], expr.span)?;
                }
                Ok(Value { first, owned: true })
            }
            Spelling::OnPlace("workgroupUniformLoad") => self.uniform_load(&site),
            Spelling::OnPlace(name) => {
                let signed = scalar_of_atomic(&site) == Some(Scalar::I32);
                let op = update(name, signed).ok_or_else(|| unsupported(name, expr.span))?;
                self.atomic(op, &site)
            }
            Spelling::CompareExchange => self.atomic(Update::CompareExchange, &site),
            Spelling::Elect => {
                let to = self.target(want, 1, expr.span)?;
                self.emit(Op::Elect { to }, expr.span);
                Ok(Value {
                    first: to,
                    owned: true,
                })
            }
            Spelling::Trace => self.trace(&site),
            Spelling::Matrix(op) => self.matrix(op, &site),
            Spelling::Rotate { left } => {
                let op = if left {
                    Binary::RotateLeft
                } else {
                    Binary::RotateRight
                };
                let operands = self.all(&site)?;
                self.each_binary(op, &operands, &site)
            }
            Spelling::Template(_)
            | Spelling::Power
            | Spelling::Call(
                "any" | "all" | "saturate" | "radians" | "degrees" | "length" | "distance"
                | "normalize" | "reflect" | "refract" | "faceForward" | "mix" | "step"
                | "smoothstep" | "extractBits" | "insertBits",
            ) => self.derived(builtin, &site),
            Spelling::Call(name) => self.call(name, &site),
        }
    }

    /// A builtin that is made of other operations.
    fn derived(&mut self, builtin: &Builtin, site: &Site<'_>) -> Result<Value> {
        let operands = self.all(site)?;
        let found = self.library(builtin.name, site, &operands)?;
        found.ok_or_else(|| unsupported(format!("the builtin `{}`", builtin.name), site.expr.span))
    }

    fn trace(&mut self, site: &Site<'_>) -> Result<Value> {
        let Some(arg) = site.args.first() else {
            return Err(unsupported("a trace of nothing", site.expr.span));
        };
        let first = self.value(arg, None)?.first;
        let a = Regs::new(first, self.words(&arg.ty, arg.span)?);
        let kind = super::memory::kind(scalar(&arg.ty, arg.span)?);
        let frame = self.frames.last();
        let shown = frame
            .and_then(|frame| trace::Site::of(self.module, self.typed, frame.function, site.expr));
        let what = self.name_id(&shown.map_or_else(String::new, |shown| shown.what));
        self.emit(Op::Trace { what, kind, a }, site.expr.span);
        let first = self.constant(0);
        Ok(Value { first, owned: true })
    }

    /// The arguments' first registers.
    fn all(&mut self, site: &Site<'_>) -> Result<Vec<Reg>> {
        let args: Vec<&Expr> = site.args.iter().collect();
        self.operands(&args)
    }

    fn input(&mut self, input: Input, site: &Site<'_>) -> Value {
        use Word::{
            GlobalIndex, GlobalX, GlobalY, GlobalZ, LocalIndex, LocalX, LocalY, LocalZ,
            NumSubgroups, NumWorkgroupsX, NumWorkgroupsY, NumWorkgroupsZ, SubgroupId, SubgroupLane,
            SubgroupSize, WorkgroupIndex, WorkgroupX, WorkgroupY, WorkgroupZ,
        };
        let words: &[Word] = match input {
            Input::GlobalId => &[GlobalX, GlobalY, GlobalZ],
            Input::LocalId => &[LocalX, LocalY, LocalZ],
            Input::WorkgroupId => &[WorkgroupX, WorkgroupY, WorkgroupZ],
            Input::NumWorkgroups => &[NumWorkgroupsX, NumWorkgroupsY, NumWorkgroupsZ],
            Input::LocalIndex => &[LocalIndex],
            Input::WorkgroupIndex => &[WorkgroupIndex],
            Input::GlobalIndex => &[GlobalIndex],
            Input::SubgroupLane => &[SubgroupLane],
            Input::SubgroupSize => &[SubgroupSize],
            Input::SubgroupId => &[SubgroupId],
            Input::NumSubgroups => &[NumSubgroups],
        };
        let first = match words {
            [one] => self.preload(Preload::Input(*one)),
            many => self.input_run(many),
        };
        let value = Value { first, owned: true };
        self.deliver(value, words.len() as u32, site.want, site.expr.span)
    }

    /// The registers of a vector of the invocation, the same each time.
    fn input_run(&mut self, words: &[Word]) -> Reg {
        let run: Vec<Preload> = words.iter().map(|word| Preload::Input(*word)).collect();
        let known = self
            .program
            .preloads
            .windows(run.len())
            .position(|window| window == run);
        match known {
            Some(first) => Reg(first as u32),
            None => self.preload_run(run),
        }
    }

    fn constructor(&mut self, site: &Site<'_>) -> Result<Value> {
        let Site { expr, args, want } = *site;
        let count = components(&expr.ty);
        match args {
            // `to_f32(v)`, `f16::from_f32(x)`
            [inner] if components(&inner.ty) == count => self.cast(inner, expr, want),
            // `splat(x)`
            [inner] => {
                let source = self.value(inner, None)?.first;
                let each = self.words(&inner.ty, expr.span)?;
                let first = self.target(want, count * each, expr.span)?;
                for index in 0..count {
                    let to = Regs::new(Reg(first.0 + index * each), each);
                    let from = Regs::new(source, each);
                    self.emit(Op::Copy { to, from }, expr.span);
                }
                Ok(Value { first, owned: true })
            }
            many => {
                let many: Vec<&Expr> = many.iter().collect();
                self.composite(&many, expr, want)
            }
        }
    }

    /// `op` of two scalars, in registers of its own.
    pub(super) fn scalar_op(
        &mut self,
        op: Binary,
        kind: Scalar,
        operands: [Reg; 2],
        expr: &Expr,
    ) -> Result<Reg> {
        let to = self.alloc(width(kind), expr.span)?;
        self.pair(op, kind, to, operands, expr.span)?;
        Ok(to)
    }

    fn each_binary(&mut self, op: Binary, operands: &[Reg], site: &Site<'_>) -> Result<Value> {
        let span = site.expr.span;
        let kind = scalar(&site.expr.ty, span)?;
        let (count, width) = (components(&site.expr.ty), width(kind));
        let first = self.target(site.want, count * width, span)?;
        for index in 0..count {
            let to = Reg(first.0 + index * width);
            self.pair(op, kind, to, pair(operands, index * width), span)?;
        }
        Ok(Value { first, owned: true })
    }

    fn each_ternary(&mut self, op: Ternary, operands: &[Reg], site: &Site<'_>) -> Result<Value> {
        let span = site.expr.span;
        let [a, b, c] = operands else {
            return Err(unsupported("these arguments", span));
        };
        // A choice is one of words, whatever they hold.
        let count = self.words(&site.expr.ty, span)?;
        let is_half = site.expr.ty.scalar() == Some(Scalar::F16) && op == Ternary::Fma;
        let first = self.target(site.want, count, span)?;
        // The condition of a `select` is one, or one a component.
        let mask = site.args.get(2).map_or(1, |arg| components(&arg.ty));
        let each = count / components(&site.expr.ty).max(1);
        for index in 0..count {
            let third = match op {
                Ternary::Select if mask > 1 => index / each.max(1),
                Ternary::Select => 0,
                _ => index,
            };
            let to = Reg(first.0 + index);
            let exact = if is_half { self.alloc(1, span)? } else { to };
            let op = Op::Ternary {
                op,
                to: exact,
                a: Reg(a.0 + index),
                b: Reg(b.0 + index),
                c: Reg(c.0 + third),
            };
            self.emit(op, span);
            if is_half {
                self.round(to, exact, span);
            }
        }
        Ok(Value { first, owned: true })
    }

    fn call(&mut self, name: &str, site: &Site<'_>) -> Result<Value> {
        let Site { expr, args, want } = *site;
        let span = expr.span;
        if let Some(fence) = match name {
            "workgroupBarrier" => Some(Fence::Workgroup),
            "storageBarrier" => Some(Fence::Storage),
            _ => None,
        } {
            self.emit(Op::Barrier { fence }, span);
            let first = self.constant(0);
            return Ok(Value { first, owned: true });
        }
        let kind = args.first().map_or(&expr.ty, |arg| &arg.ty).scalar();
        let kind = kind.unwrap_or(Scalar::U32);
        if name.starts_with("subgroup") {
            return self.subgroup(name, kind, site);
        }
        let operands = self.all(site)?;
        let first_operand = operands.first().copied().unwrap_or_default();
        if let Some(op) = unary(name, kind) {
            return self.each_unary(op, first_operand, expr, want);
        }
        if let Some(op) = binary(name, kind) {
            return self.each_binary(op, &operands, site);
        }
        if let Some(op) = unpack(name) {
            let count = components(&expr.ty);
            let first = self.target(want, count, span)?;
            let to = Regs::new(first, count);
            let a = first_operand;
            self.emit(Op::Unpack { op, to, a }, span);
            return Ok(Value { first, owned: true });
        }
        if let Some(op) = pack(name) {
            let to = self.target(want, 1, span)?;
            let count = args.first().map_or(1, |arg| components(&arg.ty));
            let a = Regs::new(first_operand, count);
            self.emit(Op::Pack { op, to, a }, span);
            return Ok(Value {
                first: to,
                owned: true,
            });
        }
        match (name, &operands[..]) {
            ("abs", [a]) => {
                // Of unsigned integers.
                let value = Value {
                    first: *a,
                    owned: false,
                };
                let count = self.words(&expr.ty, span)?;
                Ok(self.deliver(value, count, want, span))
            }
            ("select", _) => self.each_ternary(Ternary::Select, &operands, site),
            ("fma", _) => self.each_ternary(Ternary::Fma, &operands, site),
            ("clamp", [a, low, high]) => {
                let (max, min) = (binary("max", kind), binary("min", kind));
                let (Some(max), Some(min)) = (max, min) else {
                    return Err(unsupported("this clamp", span));
                };
                let width = width(kind);
                let first = self.target(want, components(&expr.ty) * width, span)?;
                for index in 0..components(&expr.ty) {
                    let [a, low, high] = [a, low, high].map(|reg| Reg(reg.0 + index * width));
                    let raised = self.scalar_op(max, kind, [a, low], expr)?;
                    let to = Reg(first.0 + index * width);
                    self.pair(min, kind, to, [raised, high], span)?;
                }
                Ok(Value { first, owned: true })
            }
            ("dot", [a, b]) => {
                let (mul, add) = if kind.is_float() {
                    (Binary::MulF, Binary::AddF)
                } else {
                    (Binary::MulWrap, Binary::AddWrap)
                };
                let count = args.first().map_or(1, |arg| components(&arg.ty));
                let width = width(kind);
                let mut sum = self.scalar_op(mul, kind, [*a, *b], expr)?;
                for index in 1..count {
                    let operands = pair(&[*a, *b], index * width);
                    let product = self.scalar_op(mul, kind, operands, expr)?;
                    sum = self.scalar_op(add, kind, [sum, product], expr)?;
                }
                let value = Value {
                    first: sum,
                    owned: true,
                };
                Ok(self.deliver(value, width, want, span))
            }
            ("cross", [a, b]) => {
                let first = self.target(want, 3, span)?;
                for index in 0..3 {
                    let (next, last) = ((index + 1) % 3, (index + 2) % 3);
                    let at = |reg: &Reg, index: u32| Reg(reg.0 + index);
                    let left = self.two(Binary::MulF, at(a, next), at(b, last), span)?;
                    let right = self.two(Binary::MulF, at(a, last), at(b, next), span)?;
                    let to = Reg(first.0 + index);
                    let (op, a, b) = (Binary::SubF, left, right);
                    self.emit(Op::Binary { op, to, a, b }, span);
                }
                Ok(Value { first, owned: true })
            }
            _ => Err(unsupported(format!("the builtin `{name}`"), span)),
        }
    }

    fn subgroup(&mut self, name: &str, kind: Scalar, site: &Site<'_>) -> Result<Value> {
        let Site { expr, want, .. } = *site;
        let span = expr.span;
        let operands = self.all(site)?;
        let a = operands.first().copied().unwrap_or_default();
        if name == "subgroupBallot" {
            let first = self.target(want, 4, span)?;
            let to = Regs::new(first, 4);
            self.emit(Op::Ballot { to, a }, span);
            return Ok(Value { first, owned: true });
        }
        let count = components(&expr.ty);
        let by = match operands.get(1) {
            Some(by) => *by,
            None => self.constant(0),
        };
        let first = self.target(want, count, span)?;
        for index in 0..count {
            let (to, a) = (Reg(first.0 + index), Reg(a.0 + index));
            let op = if let Some(op) = movement(name) {
                Op::Move { op, to, a, by }
            } else if let Some((op, scan)) = reduction(name, kind) {
                Op::Reduce { op, scan, to, a }
            } else {
                return Err(unsupported(format!("the builtin `{name}`"), span));
            };
            self.emit(op, span);
        }
        Ok(Value { first, owned: true })
    }

    /// Where an argument lies in memory.
    fn in_memory(&mut self, arg: &Expr, written: bool) -> Result<(MemoryId, Option<Reg>, u32)> {
        let place = self.place(arg, written)?;
        match place.root {
            Root::Memory(memory) => Ok((memory, place.address, place.offset)),
            Root::Registers(_) => Err(unsupported("a place that is not in memory", arg.span)),
        }
    }

    fn atomic(&mut self, op: Update, site: &Site<'_>) -> Result<Value> {
        let Site { expr, args, want } = *site;
        let Some((place, values)) = args.split_first() else {
            return Err(unsupported("an atomic without a place", expr.span));
        };
        let (memory, address, offset) = self.in_memory(place, op != Update::Load)?;
        let values: Vec<&Expr> = values.iter().collect();
        let values = self.operands(&values)?;
        let zero = self.constant(0);
        let (a, b) = (values.first().copied(), values.get(1).copied());
        let to = match (&expr.ty, want) {
            (Type::Unit, _) => self.alloc(1, expr.span)?,
            (_, want) => self.target(want, 1, expr.span)?,
        };
        let op = Op::Atomic {
            op,
            to,
            memory,
            address,
            offset,
            a: a.unwrap_or(zero),
            b: b.unwrap_or(zero),
        };
        self.emit(op, expr.span);
        Ok(Value {
            first: to,
            owned: true,
        })
    }

    /// A barrier, the value, a barrier.
    fn uniform_load(&mut self, site: &Site<'_>) -> Result<Value> {
        let Site { expr, args, want } = *site;
        let fence = Fence::Workgroup;
        let Some(place) = args.first() else {
            return Err(unsupported("a load of nothing", expr.span));
        };
        let place = self.place(place, false)?;
        self.emit(Op::Barrier { fence }, expr.span);
        let value = self.read(&place, want, expr.span)?;
        self.emit(Op::Barrier { fence }, expr.span);
        Ok(value)
    }
}

/// Component `index` of two operands of the same type.
pub(super) fn pair(operands: &[Reg], index: u32) -> [Reg; 2] {
    let at = |operand: usize| Reg(operands.get(operand).map_or(0, |reg| reg.0) + index);
    [at(0), at(1)]
}

fn scalar_of_atomic(site: &Site<'_>) -> Option<Scalar> {
    match site.args.first().map(|arg| &arg.ty) {
        Some(Type::Atomic(scalar)) => Some(*scalar),
        _ => None,
    }
}

fn unary(name: &str, kind: Scalar) -> Option<Unary> {
    Some(match (name, kind) {
        ("abs", Scalar::F32 | Scalar::F16) => Unary::AbsF,
        ("abs", Scalar::I32 | Scalar::I64) => Unary::AbsI,
        ("sqrt", _) => Unary::Sqrt,
        ("inverseSqrt", _) => Unary::InverseSqrt,
        ("exp", _) => Unary::Exp,
        ("exp2", _) => Unary::Exp2,
        ("log", _) => Unary::Ln,
        ("log2", _) => Unary::Log2,
        ("sin", _) => Unary::Sin,
        ("cos", _) => Unary::Cos,
        ("tan", _) => Unary::Tan,
        ("asin", _) => Unary::Asin,
        ("acos", _) => Unary::Acos,
        ("atan", _) => Unary::Atan,
        ("sinh", _) => Unary::Sinh,
        ("cosh", _) => Unary::Cosh,
        ("tanh", _) => Unary::Tanh,
        ("asinh", _) => Unary::Asinh,
        ("acosh", _) => Unary::Acosh,
        ("atanh", _) => Unary::Atanh,
        ("sign", Scalar::I32) => Unary::SignI,
        ("firstLeadingBit", Scalar::I32) => Unary::LeadingI,
        ("firstLeadingBit", _) => Unary::LeadingU,
        ("firstTrailingBit", _) => Unary::TrailingBit,
        ("floor", _) => Unary::Floor,
        ("ceil", _) => Unary::Ceil,
        ("trunc", _) => Unary::Trunc,
        ("round", _) => Unary::Round,
        ("quantizeToF16", _) => Unary::QuantizeToF16,
        ("countOneBits", _) => Unary::CountOnes,
        ("countLeadingZeros", _) => Unary::LeadingZeros,
        ("countTrailingZeros", _) => Unary::TrailingZeros,
        ("reverseBits", _) => Unary::ReverseBits,
        _ => return None,
    })
}

pub(super) fn binary(name: &str, kind: Scalar) -> Option<Binary> {
    Some(match (name, kind) {
        ("min", Scalar::F32 | Scalar::F16) => Binary::MinF,
        ("min", Scalar::I32 | Scalar::I64) => Binary::MinI,
        ("min", _) => Binary::MinU,
        ("max", Scalar::F32 | Scalar::F16) => Binary::MaxF,
        ("max", Scalar::I32 | Scalar::I64) => Binary::MaxI,
        ("max", _) => Binary::MaxU,
        ("pow", _) => Binary::Pow,
        ("atan2", _) => Binary::Atan2,
        ("ldexp", _) => Binary::Ldexp,
        ("dot4U8Packed", _) => Binary::DotU8,
        ("dot4I8Packed", _) => Binary::DotI8,
        _ => return None,
    })
}

fn unpack(name: &str) -> Option<Unpack> {
    Some(match name {
        "unpack4xU8" => Unpack::U8x4,
        "unpack4xI8" => Unpack::I8x4,
        "unpack2x16float" => Unpack::F16x2,
        "unpack4x8snorm" => Unpack::Snorm8x4,
        "unpack4x8unorm" => Unpack::Unorm8x4,
        "unpack2x16snorm" => Unpack::Snorm16x2,
        "unpack2x16unorm" => Unpack::Unorm16x2,
        _ => return None,
    })
}

fn pack(name: &str) -> Option<Pack> {
    Some(match name {
        "pack4xU8" | "pack4xI8" => Pack::Bytes,
        "pack4xU8Clamp" => Pack::ClampU8,
        "pack4xI8Clamp" => Pack::ClampI8,
        "pack2x16float" => Pack::F16x2,
        "pack4x8snorm" => Pack::Snorm8x4,
        "pack4x8unorm" => Pack::Unorm8x4,
        "pack2x16snorm" => Pack::Snorm16x2,
        "pack2x16unorm" => Pack::Unorm16x2,
        _ => return None,
    })
}

fn update(name: &str, signed: bool) -> Option<Update> {
    Some(match (name, signed) {
        ("atomicLoad", _) => Update::Load,
        ("atomicStore", _) => Update::Store,
        ("atomicExchange", _) => Update::Swap,
        ("atomicAdd", _) => Update::Add,
        ("atomicSub", _) => Update::Sub,
        ("atomicMin", true) => Update::MinI,
        ("atomicMin", false) => Update::MinU,
        ("atomicMax", true) => Update::MaxI,
        ("atomicMax", false) => Update::MaxU,
        ("atomicAnd", _) => Update::And,
        ("atomicOr", _) => Update::Or,
        ("atomicXor", _) => Update::Xor,
        _ => return None,
    })
}

fn movement(name: &str) -> Option<Move> {
    Some(match name {
        "subgroupBroadcastFirst" => Move::First,
        "subgroupBroadcast" => Move::Broadcast,
        "subgroupShuffle" => Move::Shuffle,
        "subgroupShuffleXor" => Move::Xor,
        "subgroupShuffleUp" => Move::Up,
        "subgroupShuffleDown" => Move::Down,
        _ => return None,
    })
}

fn reduction(name: &str, kind: Scalar) -> Option<(Reduce, Scan)> {
    let (add, mul) = match kind {
        Scalar::F16 => (Reduce::AddH, Reduce::MulH),
        _ if kind.is_float() => (Reduce::AddF, Reduce::MulF),
        _ => (Reduce::Add, Reduce::Mul),
    };
    let (min, max) = match kind {
        Scalar::F32 | Scalar::F16 => (Reduce::MinF, Reduce::MaxF),
        Scalar::I32 => (Reduce::MinI, Reduce::MaxI),
        _ => (Reduce::MinU, Reduce::MaxU),
    };
    Some(match name {
        "subgroupAdd" => (add, Scan::All),
        "subgroupMul" => (mul, Scan::All),
        "subgroupMin" => (min, Scan::All),
        "subgroupMax" => (max, Scan::All),
        "subgroupAnd" | "subgroupAll" => (Reduce::And, Scan::All),
        "subgroupOr" | "subgroupAny" => (Reduce::Or, Scan::All),
        "subgroupXor" => (Reduce::Xor, Scan::All),
        "subgroupInclusiveAdd" => (add, Scan::Inclusive),
        "subgroupExclusiveAdd" => (add, Scan::Exclusive),
        "subgroupInclusiveMul" => (mul, Scan::Inclusive),
        "subgroupExclusiveMul" => (mul, Scan::Exclusive),
        _ => return None,
    })
}
