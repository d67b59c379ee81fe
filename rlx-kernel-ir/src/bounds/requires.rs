//! The conditions of `#[requires(..)]` as facts, and as code for the host.

use super::Walker;
use super::poly::Poly;
use super::value::{Condition, Value};
use crate::consteval;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::types::{Scalar, Type};

/// A condition that proofs rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The condition as its author wrote it.
    pub text: String,
    /// What computes it: 1 where it holds.
    pub code: Vec<Code>,
}

/// One step of a condition, on a stack of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A number.
    Number(u64),
    /// Param `.0`, a `u32`.
    Param(usize),
    /// The value of override `.0`, a `u32`.
    Override(usize),
    /// The elements of binding `.0`; the 32-bit words of packed weights.
    Length(usize),
    /// The two on top become one, by this operator.
    Operator(BinaryOp),
    /// The two on top become their quotient, rounded up.
    DivCeil,
}

impl Walker<'_> {
    /// Takes the kernel's conditions for granted. Gives those that were understood: the proofs rest
    /// on them.
    pub(super) fn require(&mut self) -> Vec<Requirement> {
        let kernel = self.kernel;
        let mut understood = Vec::new();
        for requirement in &kernel.requires {
            self.multiples(&requirement.condition);
        }
        for requirement in &kernel.requires {
            let mut code = Vec::new();
            let r = self.required(&requirement.condition, &mut code);
            if let Some(condition) = r {
                self.assume(&condition.yes);
                understood.push(Requirement {
                    text: requirement.text.clone(),
                    code,
                });
            }
        }
        understood
    }

    /// `n % c == 0` makes the param `n` c times another number.
    fn multiples(&mut self, condition: &Expr) {
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => {
                self.multiples(a);
                self.multiples(b);
            }
            ExprKind::Binary(BinaryOp::Eq, a, b) => {
                let ExprKind::Binary(BinaryOp::Rem, param, divisor) = &a.kind else {
                    return;
                };
                let (ExprKind::Param(index), Some(0), Some(divisor)) =
                    (&param.kind, self.number(b), self.number(divisor))
                else {
                    return;
                };
                let Some(Value::Int(value)) = self.params.get(*index) else {
                    return;
                };
                if value.as_atom().is_none() || divisor < 2 {
                    return;
                }
                let factor = self.fresh(i128::from(u32::MAX) / divisor);
                if let Some(multiple) = Poly::default().plus(divisor, &factor) {
                    self.params[*index] = Value::Int(multiple);
                }
            }
            _ => {}
        }
    }

    fn number(&self, expr: &Expr) -> Option<i128> {
        consteval::eval(self.module, &self.consts, expr)
    }

    /// What follows from a condition; none where it is not understood.
    fn required(&mut self, condition: &Expr, code: &mut Vec<Code>) -> Option<Condition> {
        let ExprKind::Binary(op, a, b) = &condition.kind else {
            return None;
        };
        if *op == BinaryOp::And {
            let (a, b) = (self.required(a, code)?, self.required(b, code)?);
            code.push(Code::Operator(*op));
            return Some(Condition {
                yes: a.yes.into_iter().chain(b.yes).collect(),
                no: Vec::new(),
            });
        }
        if !op.is_comparison() {
            return None;
        }
        let (a, b) = (self.exact(a, code)?, self.exact(b, code)?);
        code.push(Code::Operator(*op));
        match self.comparison(*op, &a, &b) {
            Value::Bool(condition) => Some(condition),
            _ => None,
        }
    }

    /// The value of a number in a condition, which the host computes without wrapping.
    fn exact(&mut self, expr: &Expr, code: &mut Vec<Code>) -> Option<Poly> {
        if let Some(number) = self.number(expr) {
            code.push(Code::Number(u64::try_from(number).ok()?));
            return Some(Poly::constant(number));
        }
        match &expr.kind {
            ExprKind::Param(index) => {
                let param = self.kernel.params.get(*index)?;
                if param.ty != Type::U32 {
                    return None;
                }
                code.push(Code::Param(*index));
                match self.params.get(*index)? {
                    Value::Int(poly) => Some(poly.clone()),
                    _ => None,
                }
            }
            ExprKind::Const(id) => {
                let all = self.module.overrides();
                let index = all.iter().position(|(known, _)| known == id)?;
                if all.get(index)?.1.ty != Scalar::U32 {
                    return None;
                }
                code.push(Code::Override(index));
                Some(self.override_value(*id, &Type::U32))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.exact(a, code)?, self.exact(b, code)?);
                code.push(Code::Operator(*op));
                match op {
                    BinaryOp::Add => a.plus(1, &b),
                    BinaryOp::Sub => a.plus(-1, &b),
                    BinaryOp::Mul => a.times(&b),
                    BinaryOp::Div | BinaryOp::Rem => {
                        self.less(&b)?;
                        if !self.is_positive(&a) {
                            return None;
                        }
                        let quotient = self.quotient(&a, &b);
                        if *op == BinaryOp::Div {
                            Some(quotient)
                        } else {
                            a.plus(-1, &b.times(&quotient)?)
                        }
                    }
                    _ => None,
                }
            }
            ExprKind::Method(receiver, name, _, args) => {
                match (&receiver.kind, name.as_str(), args.as_slice()) {
                    (ExprKind::Binding(index), "len", []) => {
                        let binding = self.kernel.bindings.get(*index)?;
                        if matches!(binding.elem, Type::Packed(_)) {
                            return None;
                        }
                        code.push(Code::Length(*index));
                        self.lengths.get(*index).cloned()
                    }
                    (ExprKind::Binding(index), "blocks", []) => {
                        let Type::Packed(format) = self.kernel.bindings.get(*index)?.elem else {
                            return None;
                        };
                        let bytes = self.module.format(format)?.consts.bytes;
                        code.extend([
                            Code::Length(*index),
                            Code::Number(4),
                            Code::Operator(BinaryOp::Mul),
                            Code::Number(bytes.into()),
                            Code::Operator(BinaryOp::Div),
                        ]);
                        let words = self.lengths.get(*index)?;
                        let all = Poly::default().plus(4, words)?;
                        Some(self.quotient(&all, &Poly::constant(bytes.into())))
                    }
                    (_, "div_ceil", [divisor]) => {
                        let (a, b) = (self.exact(receiver, code)?, self.exact(divisor, code)?);
                        code.push(Code::DivCeil);
                        let sum = a.plus(1, &self.less(&b)?)?;
                        if !self.is_positive(&sum) {
                            return None;
                        }
                        Some(self.quotient(&sum, &b))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
