//! Builtins that are made of other operations: those that WGSL derives, and those that the printer
//! writes out.

use rlx_kernel_twin::program::{Binary, Op, Reg, Regs, Ternary, Unary};

use super::builtin::{Site, binary, pair};
use super::expr::{components, scalar};
use super::operator::width;
use super::{Lower, Result, Value, unsupported};
use crate::expr::Expr;
use crate::types::Scalar;

/// Numbers of one kind, to compute with.
#[derive(Clone, Copy)]
struct Kind<'e> {
    scalar: Scalar,
    expr: &'e Expr,
}

impl Lower<'_> {
    fn number(&mut self, kind: Kind<'_>, value: f32) -> Reg {
        match kind.scalar {
            // A half is held as a float.
            Scalar::F32 | Scalar::F16 => self.constant(value.to_bits()),
            _ => self.constant_of(
                value as i64 as u64,
                &crate::types::Type::Scalar(kind.scalar),
            ),
        }
    }

    fn with(&mut self, kind: Kind<'_>, op: Binary, a: Reg, b: Reg) -> Result<Reg> {
        self.scalar_op(op, kind.scalar, [a, b], kind.expr)
    }

    fn of(&mut self, kind: Kind<'_>, op: Unary, a: Reg) -> Result<Reg> {
        let to = self.alloc(width(kind.scalar), kind.expr.span)?;
        self.one(op, kind.scalar, to, a, kind.expr.span)?;
        Ok(to)
    }

    /// `a` where `condition`, else `b`; of one register each.
    fn choose(&mut self, kind: Kind<'_>, condition: Reg, a: Reg, b: Reg) -> Result<Reg> {
        let to = self.alloc(1, kind.expr.span)?;
        let op = Op::Ternary {
            op: Ternary::Select,
            to,
            a,
            b,
            c: condition,
        };
        self.emit(op, kind.expr.span);
        Ok(to)
    }

    /// The result of each component, by `f` of the arguments' components.
    fn each(
        &mut self,
        site: &Site<'_>,
        operands: &[Reg],
        kind: Scalar,
        f: impl Fn(&mut Self, Kind<'_>, &[Reg]) -> Result<Reg>,
    ) -> Result<Value> {
        let span = site.expr.span;
        let result = width(scalar(&site.expr.ty, span)?);
        let count = components(&site.expr.ty);
        let first = self.target(site.want, count * result, span)?;
        let kind = Kind {
            scalar: kind,
            expr: site.expr,
        };
        for index in 0..count {
            let args: Vec<Reg> = site
                .args
                .iter()
                .zip(operands)
                .map(|(arg, reg)| {
                    let step = width(arg.ty.scalar().unwrap_or(Scalar::U32));
                    let is_vector = components(&arg.ty) > 1;
                    Reg(reg.0 + if is_vector { index * step } else { 0 })
                })
                .collect();
            let value = f(self, kind, &args)?;
            let to = Regs::new(Reg(first.0 + index * result), result);
            let from = Regs::new(value, result);
            self.emit(Op::Copy { to, from }, span);
        }
        Ok(Value { first, owned: true })
    }

    fn dot_of(&mut self, kind: Kind<'_>, a: Reg, b: Reg, count: u32) -> Result<Reg> {
        let width = width(kind.scalar);
        let mut sum = self.with(kind, Binary::MulF, a, b)?;
        for index in 1..count {
            let [a, b] = pair(&[a, b], index * width);
            let product = self.with(kind, Binary::MulF, a, b)?;
            sum = self.with(kind, Binary::AddF, sum, product)?;
        }
        Ok(sum)
    }

    /// Bits `offset .. offset + count`, with the highest of them for all above it where they are of
    /// a signed number.
    fn extracted(&mut self, kind: Kind<'_>, [bits, offset, count]: [Reg; 3]) -> Result<Reg> {
        let span = kind.expr.span;
        let [zero, one, most, ones] = [0, 1, 31, u32::MAX].map(|value| self.constant(value));
        let taken = |this: &mut Self, [a, b, c]: [Reg; 3]| {
            let to = this.alloc(1, span)?;
            let op = Ternary::ExtractBits;
            this.emit(Op::Ternary { op, to, a, b, c }, span);
            Ok(to)
        };
        let found = taken(self, [bits, offset, count])?;
        if kind.scalar.is_unsigned() {
            return Ok(found);
        }
        // As many as there are, where the field reaches past the last.
        let mask = taken(self, [ones, offset, count])?;
        let below = taken(self, [mask, one, most])?;
        let highest = self.two(Binary::Xor, mask, below, span)?;
        let sign = self.two(Binary::And, found, highest, span)?;
        let is_negative = self.two(Binary::Ne, sign, zero, span)?;
        let above = self.two(Binary::Xor, mask, ones, span)?;
        let negative = self.two(Binary::Or, found, above, span)?;
        self.choose(kind, is_negative, negative, found)
    }

    /// `base` to the power of `exponent`, which is not 0, by the products that the printer writes.
    fn power(&mut self, kind: Kind<'_>, mul: Binary, base: Reg, exponent: u128) -> Result<Reg> {
        match exponent {
            0 | 1 => Ok(base),
            2 => self.with(kind, mul, base, base),
            _ if exponent.is_multiple_of(2) => {
                let half = self.power(kind, mul, base, exponent / 2)?;
                self.with(kind, mul, half, half)
            }
            _ => {
                let rest = self.power(kind, mul, base, exponent - 1)?;
                self.with(kind, mul, rest, base)
            }
        }
    }

    /// A builtin by its name in Rust; none where it is not here.
    pub(super) fn library(
        &mut self,
        name: &str,
        site: &Site<'_>,
        operands: &[Reg],
    ) -> Result<Option<Value>> {
        let expr = site.expr;
        let first = site.args.first().map_or(&expr.ty, |arg| &arg.ty);
        let scalar = scalar(first, expr.span)?;
        let kind = Kind { scalar, expr };
        let count = components(first);
        let span = expr.span;
        let value = |first| Value { first, owned: true };
        Ok(Some(match (name, operands) {
            ("fract", _) => self.each(site, operands, scalar, |this, kind, args| {
                let whole = this.of(kind, Unary::Trunc, args[0])?;
                this.with(kind, Binary::SubF, args[0], whole)
            })?,
            ("round", _) => self.each(site, operands, scalar, |this, kind, args| {
                this.of(kind, Unary::RoundAway, args[0])
            })?,
            ("frexp_fract" | "frexp_exp", _) => {
                let op = if name == "frexp_fract" {
                    Unary::FrexpFract
                } else {
                    Unary::FrexpExp
                };
                self.each(site, operands, scalar, |this, kind, args| {
                    this.of(kind, op, args[0])
                })?
            }
            ("saturate", _) => self.each(site, operands, scalar, |this, kind, args| {
                let (zero, one) = (this.number(kind, 0.0), this.number(kind, 1.0));
                let raised = this.with(kind, Binary::MaxF, args[0], zero)?;
                this.with(kind, Binary::MinF, raised, one)
            })?,
            ("to_radians" | "to_degrees", _) => {
                let by = if name == "to_radians" {
                    std::f32::consts::PI / 180.0
                } else {
                    180.0 / std::f32::consts::PI
                };
                self.each(site, operands, scalar, |this, kind, args| {
                    let by = this.number(kind, by);
                    this.with(kind, Binary::MulF, args[0], by)
                })?
            }
            ("mix", _) => self.each(site, operands, scalar, |this, kind, args| {
                let one = this.number(kind, 1.0);
                let rest = this.with(kind, Binary::SubF, one, args[2])?;
                let left = this.with(kind, Binary::MulF, args[0], rest)?;
                let right = this.with(kind, Binary::MulF, args[1], args[2])?;
                this.with(kind, Binary::AddF, left, right)
            })?,
            ("step", _) => self.each(site, operands, scalar, |this, kind, args| {
                let above = this.two(Binary::LeF, args[0], args[1], kind.expr.span)?;
                let (zero, one) = (this.number(kind, 0.0), this.number(kind, 1.0));
                this.choose(kind, above, one, zero)
            })?,
            ("smoothstep", _) => self.each(site, operands, scalar, |this, kind, args| {
                let [zero, one, two, three] =
                    [0.0, 1.0, 2.0, 3.0].map(|value| this.number(kind, value));
                let above = this.with(kind, Binary::SubF, args[2], args[0])?;
                let range = this.with(kind, Binary::SubF, args[1], args[0])?;
                let t = this.with(kind, Binary::DivF, above, range)?;
                let t = this.with(kind, Binary::MaxF, t, zero)?;
                let t = this.with(kind, Binary::MinF, t, one)?;
                let square = this.with(kind, Binary::MulF, t, t)?;
                let double = this.with(kind, Binary::MulF, two, t)?;
                let rest = this.with(kind, Binary::SubF, three, double)?;
                this.with(kind, Binary::MulF, square, rest)
            })?,
            ("abs_diff", _) => {
                let (max, min) = (binary("max", scalar), binary("min", scalar));
                let (Some(max), Some(min)) = (max, min) else {
                    return Ok(None);
                };
                self.each(site, operands, scalar, |this, kind, args| {
                    let high = this.with(kind, max, args[0], args[1])?;
                    let low = this.with(kind, min, args[0], args[1])?;
                    this.with(kind, Binary::SubWrap, high, low)
                })?
            }
            ("extract_bits", _) => self.each(site, operands, scalar, |this, kind, args| {
                this.extracted(kind, [args[0], args[1], args[2]])
            })?,
            ("insert_bits", _) => self.each(site, operands, scalar, |this, kind, args| {
                let to = this.alloc(1, kind.expr.span)?;
                let op = Op::InsertBits {
                    to,
                    a: args[0],
                    b: args[1],
                    offset: args[2],
                    count: args[3],
                };
                this.emit(op, kind.expr.span);
                Ok(to)
            })?,
            ("recip", _) => self.each(site, operands, scalar, |this, kind, args| {
                let one = this.number(kind, 1.0);
                this.with(kind, Binary::DivF, one, args[0])
            })?,
            ("is_multiple_of", [a, b]) => {
                let zero = self.constant(0);
                let rest = self.with(kind, Binary::RemU, *a, *b)?;
                let found = self.two(Binary::Eq, rest, zero, span)?;
                self.deliver(value(found), 1, site.want, span)
            }
            ("saturating_add" | "saturating_sub", [a, b]) => {
                let (op, room) = if name == "saturating_add" {
                    let ones = self.constant(u32::MAX);
                    let room = self.with(kind, Binary::SubWrap, ones, *a)?;
                    (Binary::AddWrap, room)
                } else {
                    (Binary::SubWrap, *a)
                };
                let Some(min) = binary("min", scalar) else {
                    return Ok(None);
                };
                let by = self.with(kind, min, *b, room)?;
                let found = self.with(kind, op, *a, by)?;
                self.deliver(value(found), 1, site.want, span)
            }
            ("unsigned_abs", [a]) => {
                let found = self.of(kind, Unary::AbsI, *a)?;
                self.deliver(value(found), 1, site.want, span)
            }
            ("next_multiple_of", [a, b]) => {
                let zero = self.constant(0);
                let quotient = self.with(kind, Binary::DivU, *a, *b)?;
                let rest = self.with(kind, Binary::RemU, *a, *b)?;
                let more = self.two(Binary::Ne, rest, zero, span)?;
                let rounds = self.with(kind, Binary::AddU, quotient, more)?;
                let found = self.with(kind, Binary::MulU, rounds, *b)?;
                self.deliver(value(found), 1, site.want, span)
            }
            ("is_power_of_two", [a]) => {
                let one = self.constant(1);
                let ones = self.of(kind, Unary::CountOnes, *a)?;
                let found = self.two(Binary::Eq, ones, one, span)?;
                self.deliver(value(found), 1, site.want, span)
            }
            ("rem_euclid", [a, b]) => {
                let zero = self.constant(0);
                let rest = self.with(kind, Binary::RemI, *a, *b)?;
                let is_below = self.two(Binary::LtI, rest, zero, span)?;
                let magnitude = self.of(kind, Unary::AbsI, *b)?;
                let add = self.choose(kind, is_below, magnitude, zero)?;
                let found = self.with(kind, Binary::AddWrap, rest, add)?;
                self.deliver(value(found), 1, site.want, span)
            }
            ("powi" | "pow", [base, _]) => {
                let exponent = site.args.get(1).and_then(|arg| self.eval(arg));
                let Some(exponent) = exponent else {
                    return Err(unsupported("an exponent that is no constant here", span));
                };
                let base = *base;
                let is_float = scalar.is_float();
                self.each(site, &[base], scalar, |this, kind, args| {
                    let mul = match kind.scalar {
                        Scalar::F32 | Scalar::F16 => Binary::MulF,
                        Scalar::I32 | Scalar::I64 => Binary::MulI,
                        _ => Binary::MulU,
                    };
                    let one = this.number(kind, 1.0);
                    let product = match exponent.unsigned_abs() {
                        0 => one,
                        magnitude => this.power(kind, mul, args[0], magnitude)?,
                    };
                    if exponent < 0 && is_float {
                        return this.with(kind, Binary::DivF, one, product);
                    }
                    Ok(product)
                })?
            }
            ("any" | "all", [a]) => {
                let op = if name == "any" {
                    Binary::Or
                } else {
                    Binary::And
                };
                let mut found = *a;
                for index in 1..count {
                    found = self.two(op, found, Reg(a.0 + index), span)?;
                }
                let owned = false;
                let first = found;
                self.deliver(Value { first, owned }, 1, site.want, span)
            }
            ("length", [a]) => {
                let square = self.dot_of(kind, *a, *a, count)?;
                let found = self.of(kind, Unary::Sqrt, square)?;
                self.deliver(value(found), 1, site.want, span)
            }
            ("distance", [a, b]) => {
                let between = self.alloc(count, span)?;
                for index in 0..count {
                    let to = Reg(between.0 + index);
                    self.pair(Binary::SubF, scalar, to, pair(&[*a, *b], index), span)?;
                }
                let square = self.dot_of(kind, between, between, count)?;
                let found = self.of(kind, Unary::Sqrt, square)?;
                self.deliver(value(found), 1, site.want, span)
            }
            ("normalize", [a]) => {
                let square = self.dot_of(kind, *a, *a, count)?;
                let length = self.of(kind, Unary::Sqrt, square)?;
                self.each(site, operands, scalar, |this, kind, args| {
                    this.with(kind, Binary::DivF, args[0], length)
                })?
            }
            ("reflect", [a, normal]) => {
                let along = self.dot_of(kind, *normal, *a, count)?;
                let two = self.number(kind, 2.0);
                let twice = self.with(kind, Binary::MulF, two, along)?;
                self.each(site, operands, scalar, |this, kind, args| {
                    let away = this.with(kind, Binary::MulF, twice, args[1])?;
                    this.with(kind, Binary::SubF, args[0], away)
                })?
            }
            ("refract", [a, normal, eta]) => {
                let (zero, one) = (self.number(kind, 0.0), self.number(kind, 1.0));
                let along = self.dot_of(kind, *normal, *a, count)?;
                let square = self.with(kind, Binary::MulF, along, along)?;
                let rest = self.with(kind, Binary::SubF, one, square)?;
                let ratio = self.with(kind, Binary::MulF, *eta, *eta)?;
                let bent = self.with(kind, Binary::MulF, ratio, rest)?;
                let k = self.with(kind, Binary::SubF, one, bent)?;
                let is_lost = self.two(Binary::LtF, k, zero, span)?;
                let k = self.with(kind, Binary::MaxF, k, zero)?;
                let root = self.of(kind, Unary::Sqrt, k)?;
                let scaled = self.with(kind, Binary::MulF, *eta, along)?;
                let sum = self.with(kind, Binary::AddF, scaled, root)?;
                let eta = *eta;
                self.each(site, operands, scalar, |this, kind, args| {
                    let on = this.with(kind, Binary::MulF, eta, args[0])?;
                    let off = this.with(kind, Binary::MulF, sum, args[1])?;
                    let found = this.with(kind, Binary::SubF, on, off)?;
                    this.choose(kind, is_lost, zero, found)
                })?
            }
            ("face_forward", [_, b, c]) => {
                let zero = self.number(kind, 0.0);
                let along = self.dot_of(kind, *b, *c, count)?;
                let is_towards = self.two(Binary::LtF, along, zero, span)?;
                self.each(site, operands, scalar, |this, kind, args| {
                    let back = this.of(kind, Unary::NegF, args[0])?;
                    this.choose(kind, is_towards, args[0], back)
                })?
            }
            _ => return Ok(None),
        }))
    }
}
