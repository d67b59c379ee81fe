//! Calls of helpers, and the values that they are given and give.

use super::expr::is_int;
use super::frame::Frame;
use super::poly::Poly;
use super::value::Value;
use super::{Returned, Walker};
use crate::expr::Expr;
use crate::types::Type;

/// Calls around a function at the most; helpers do not call themselves.
const MAX_DEPTH: usize = 32;

impl Walker<'_> {
    /// The value of an expression that is kept: an integer of which nothing is known is one atom.
    pub(super) fn kept(&mut self, expr: &Expr) -> Value {
        let value = self.value(expr);
        self.keep(value, &expr.ty)
    }

    /// A value to be kept: whether it has wrapped is asked once.
    pub(super) fn keep(&mut self, value: Value, ty: &Type) -> Value {
        match value {
            Value::Unknown if is_int(ty) => Value::Int(self.any(ty)),
            Value::Wrapped { exact, any } => {
                if self.fits_u32(&exact) {
                    return Value::Int(exact);
                }
                let any = match any {
                    Some(any) if self.fits_u32(&any) => any,
                    _ => self.wrapped(&exact),
                };
                Value::Wrapped {
                    exact,
                    any: Some(any),
                }
            }
            value => value,
        }
    }

    /// The value of a call: its body followed with these arguments.
    pub(super) fn call(&mut self, index: usize, args: &[Expr]) -> Value {
        let values: Vec<Value> = args.iter().map(|arg| self.kept(arg)).collect();
        let typed = self.typed;
        let Some(instance) = typed
            .instances
            .get(index)
            .filter(|_| self.depth < MAX_DEPTH)
        else {
            return Value::Unknown;
        };
        let callee = &instance.function;
        let mut env = Frame::default();
        for (param, value) in callee.params.iter().zip(values) {
            env.set(param.local, value);
        }
        let before = self.mark();
        let caller = std::mem::replace(&mut self.env, env);
        let function = std::mem::replace(&mut self.function, callee);
        let consts = std::mem::take(&mut self.consts);
        let returned = self.returned.take();
        self.depth += 1;
        let mut value = self.block(&callee.body);
        self.depth -= 1;
        self.env = caller;
        self.function = function;
        self.consts = consts;
        let dead = std::mem::replace(&mut self.dead, false);
        if let Some(Returned(bound)) = std::mem::replace(&mut self.returned, returned) {
            // Several ways meet: what holds on all of them is what held before.
            self.back(before);
            let own = match &value {
                Value::Int(poly) if !dead => self.most_of(poly, &callee.ret),
                _ if dead => Some(0),
                _ => None,
            };
            value = match (bound, own) {
                (Some(a), Some(b)) => Value::Int(self.fresh(a.max(b))),
                _ => Value::Unknown,
            };
        } else if !is_int(&callee.ret) {
            self.back(before);
        }
        // What is lent may be changed.
        for arg in args {
            if let Some(local) = super::stmt::lent(arg) {
                self.env.remove(local);
            }
        }
        value
    }

    /// An upper bound of an unsigned value; none for what may be below 0.
    pub(super) fn most_of(&self, poly: &Poly, ty: &Type) -> Option<i128> {
        ty.scalar()
            .filter(|scalar| scalar.is_unsigned() && matches!(ty, Type::Scalar(_)))?;
        self.facts.most(poly)
    }
}
