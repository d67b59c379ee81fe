//! Rows of the builtin library in words, for its chapter.

use super::{Arg, Builtin, Domain, Form, Ret, Spelling};
use crate::types::{Scalar, Type};

impl Builtin {
    /// How it is called, such as `x.clamp(low, high)` with names that say nothing: `x.clamp(a, b)`.
    pub fn call(&self) -> String {
        let names = ["x", "a", "b", "c", "d"];
        let (receiver, names) = match self.form {
            Form::Method => ("x.", &names[1..self.args.len().max(1)]),
            Form::Function if self.args.len() == 1 => ("", &names[..1]),
            Form::Function => ("", &names[1..=self.args.len()]),
        };
        format!("{receiver}{}({})", self.name, names.join(", "))
    }

    /// What its arguments are, the receiver first.
    pub fn takes(&self) -> String {
        let args = self.args.iter().map(|arg| match arg {
            Arg::T => "T".into(),
            Arg::Elem => "T's scalar".into(),
            Arg::Mask => "`bool`, or one a component".into(),
            Arg::Is(scalar) => format!("`{}`", scalar.name()),
            Arg::Vector(scalar, len) => vector(*scalar, *len),
        });
        let args = args.collect::<Vec<_>>().join(", ");
        if self.args.contains(&Arg::T) && self.domain != Domain::None {
            format!("{args}: {}", self.domain.describe())
        } else {
            args
        }
    }

    /// What it gives.
    pub fn gives(&self) -> String {
        match self.ret {
            Ret::T => "T".into(),
            Ret::Elem => "T's scalar".into(),
            Ret::Unit => String::new(),
            Ret::Is(scalar) => format!("`{}`", scalar.name()),
            Ret::Vector(scalar, len) => vector(scalar, len),
            Ret::VectorOfT(len) => format!("`Vec{len}` of T"),
            Ret::As(scalar) => format!("`{}`, or a vector of it", scalar.name()),
        }
    }

    /// What it is in WGSL.
    pub fn in_wgsl(&self) -> String {
        match self.wgsl {
            Spelling::Call(name) | Spelling::OnPlace(name) => format!("`{name}`"),
            Spelling::Constructor => "the type".into(),
            Spelling::Operator(text) => format!("`{text}`"),
            Spelling::Template(_) | Spelling::Rotate { .. } | Spelling::DivCeil => {
                "an expression".into()
            }
            Spelling::Power => "a product; the exponent is a constant".into(),
            Spelling::Bitcast => "`bitcast`".into(),
            Spelling::CompareExchange => "`atomicCompareExchangeWeak`".into(),
            Spelling::Elect => "`subgroupBroadcastFirst`".into(),
            Spelling::Trace => "nothing: the CPU twin shows the value".into(),
            Spelling::Input(input) => input.attribute().map_or_else(
                || "an expression".into(),
                |name| format!("`@builtin({name})`"),
            ),
        }
    }
}

fn vector(scalar: Scalar, len: u8) -> String {
    format!("`{}`", Type::vector(scalar, len))
}
