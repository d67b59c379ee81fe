//! Rows of the builtin library in words, for its chapter.

use super::{Arg, Builtin, Domain, Form, Ret, Spelling};
use crate::matrix::{MatrixOp, Role};
use crate::types::{Scalar, Type};

impl Builtin {
    /// How it is called, such as `x.clamp(low, high)` with names that say nothing: `x.clamp(a, b)`.
    pub fn call(&self) -> String {
        if self.is_of_matrices() {
            return self.call_of_matrices();
        }
        let names = ["x", "a", "b", "c", "d"];
        let (receiver, names) = match self.form {
            Form::Method => ("x.", &names[1..self.args.len().max(1)]),
            Form::Function if self.args.len() == 1 => ("", &names[..1]),
            Form::Function => ("", &names[1..=self.args.len()]),
        };
        format!("{receiver}{}({})", self.name, names.join(", "))
    }

    /// The same with the arguments of a function or method of matrices.
    fn call_of_matrices(&self) -> String {
        let name = self.name;
        match (self.args, name.split_once("::")) {
            ([], Some((ty, function))) => format!("{ty}::<T, N>::{function}()"),
            ([Arg::Slice, ..], Some((ty, function))) => {
                format!("{ty}::<T, N>::{function}(x, at, stride)")
            }
            ([Arg::T, ..], _) => format!("m.{name}(y, at, stride)"),
            _ => format!("{name}(a, b, c)"),
        }
    }

    /// What its arguments are, the receiver first.
    pub fn takes(&self) -> String {
        let args = self.args.iter().map(|arg| match arg {
            Arg::T if self.domain == Domain::Matrix => "a matrix of T".into(),
            Arg::T => "T".into(),
            Arg::Elem => "T's scalar".into(),
            Arg::Either => "T or its scalar".into(),
            Arg::Mask => "`bool`, or one a component".into(),
            Arg::Is(scalar) => format!("`{}`", scalar.name()),
            Arg::Vector(scalar, len) => vector(*scalar, *len),
            // Its scalar may be another.
            Arg::Matrix(Role::C) => matrix(Role::C, "S"),
            Arg::Matrix(role) => matrix(*role, "T"),
            Arg::Slice => "`&[T]` or `&[Vec4<T>]`".into(),
        });
        let args = args.collect::<Vec<_>>().join(", ");
        let is_told = matches!(self.domain, Domain::None | Domain::Matrix);
        if self.args.contains(&Arg::T) && !is_told {
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
            Ret::Matrix(role) if self.args.contains(&Arg::Matrix(role)) => matrix(role, "S"),
            Ret::Matrix(role) => matrix(role, "T"),
        }
    }

    /// What it is in WGSL.
    pub fn in_wgsl(&self) -> String {
        match self.wgsl {
            Spelling::Call(name) | Spelling::OnPlace(name) => format!("`{name}`"),
            Spelling::Constructor | Spelling::Matrix(MatrixOp::Zero) => "the type".into(),
            Spelling::Operator(text) => format!("`{text}`"),
            Spelling::Template(_) | Spelling::Rotate { .. } | Spelling::DivCeil => {
                "an expression".into()
            }
            Spelling::Power => "a product; the exponent is a constant".into(),
            Spelling::Bitcast => "`bitcast`".into(),
            Spelling::CompareExchange => "`atomicCompareExchangeWeak`".into(),
            Spelling::Elect => "`subgroupBroadcastFirst`".into(),
            Spelling::Matrix(op) => format!("`{}`", op.wgsl()),
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

fn matrix(role: Role, scalar: &str) -> String {
    format!("`{}<{scalar}, N>`", role.rust())
}
