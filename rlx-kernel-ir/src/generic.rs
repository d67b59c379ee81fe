//! Generic functions: their parameters, what stands for them, and putting the one in for the other.

use std::collections::BTreeMap;
use std::fmt;

use crate::expr::{Expr, ExprKind};
use crate::infer::each_expr;
use crate::item::{Function, Item, ItemId, Module};
use crate::types::{Scalar, Type};

/// A parameter of a generic function. It is an item, so that types name it as they name formats.
#[derive(Clone, Debug)]
pub struct Generic {
    /// The author's name.
    pub name: String,
    /// What may stand for it.
    pub bound: Bound,
}

/// What may stand for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// `F: BlockFormat`
    Format,
    /// `T: Float`
    Float,
    /// `const N: u32` or `const N: usize`
    Const,
    /// `A: Activation`, a `#[device]` trait.
    Trait(ItemId),
}

/// What stands for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A format.
    Format(ItemId),
    /// A type.
    Type(Type),
    /// A number.
    Const(u32),
    /// `_`, in a list of arguments: to be inferred.
    Open,
}

/// Parameters and what stands for them.
pub type Arguments = BTreeMap<ItemId, Argument>;

/// Lengths of arrays from here on stand for the parameter whose item follows.
const OPEN_LENGTHS: u32 = 1 << 31;

/// The length of `[T; N]` where `N` is the parameter `id`.
pub fn open_length(id: ItemId) -> u32 {
    OPEN_LENGTHS | id.0 as u32
}

/// The parameter that a length stands for.
pub fn parameter_of_length(len: u32) -> Option<ItemId> {
    len.checked_sub(OPEN_LENGTHS).map(|id| ItemId(id as usize))
}

impl Module {
    /// The generic parameter behind `id`.
    pub fn generic(&self, id: ItemId) -> Option<&Generic> {
        match self.items.get(id.0) {
            Some(Item::Generic(generic)) => Some(generic),
            _ => None,
        }
    }

    /// An argument as its author writes it.
    pub fn spell(&self, argument: &Argument) -> String {
        match argument {
            Argument::Format(id) => self
                .format(*id)
                .map_or("_", |format| &format.name)
                .to_string(),
            Argument::Type(ty) => ty.to_string(),
            Argument::Const(value) => value.to_string(),
            Argument::Open => "_".into(),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => "a block format",
            Self::Float => "a float type",
            Self::Const => "a number",
            Self::Trait(_) => "a type with its trait",
        })
    }
}

/// `ty` with `arguments` put in.
pub fn substituted(ty: &Type, arguments: &Arguments) -> Type {
    let format = |id: &ItemId| match arguments.get(id) {
        Some(Argument::Format(format)) => *format,
        _ => *id,
    };
    let boxed = |ty: &Type| Box::new(substituted(ty, arguments));
    match ty {
        Type::Param(id, _) => match arguments.get(id) {
            Some(Argument::Type(ty)) => ty.clone(),
            _ => ty.clone(),
        },
        Type::Vector(elem, len) => Type::Vector(boxed(elem), *len),
        Type::Array(elem, len) => Type::Array(boxed(elem), length(*len, arguments)),
        Type::Matrix(elem, role, size) => {
            Type::Matrix(boxed(elem), *role, length(*size, arguments))
        }
        Type::Slice {
            elem,
            writable,
            source,
        } => Type::Slice {
            elem: boxed(elem),
            writable: *writable,
            source: *source,
        },
        Type::Packed(id) => Type::Packed(format(id)),
        Type::Block { format: id, source } => Type::Block {
            format: format(id),
            source: *source,
        },
        Type::Pointer(inner) => Type::Pointer(boxed(inner)),
        other => other.clone(),
    }
}

fn length(len: u32, arguments: &Arguments) -> u32 {
    let argument = parameter_of_length(len).and_then(|id| arguments.get(&id));
    match argument {
        Some(Argument::Const(value)) => *value,
        _ => len,
    }
}

/// Puts `arguments` in for the parameters of `function`.
pub fn instantiate(module: &Module, function: &mut Function, arguments: &Arguments) {
    for param in &mut function.params {
        param.ty = substituted(&param.ty, arguments);
    }
    for local in &mut function.locals {
        local.ty = substituted(&local.ty, arguments);
    }
    function.ret = substituted(&function.ret, arguments);
    let names: Vec<_> = arguments
        .iter()
        .filter_map(|(id, argument)| Some((module.generic(*id)?.name.as_str(), argument)))
        .collect();
    each_expr(&mut function.body, &mut |expr| {
        expr.ty = substituted(&expr.ty, arguments);
        match &mut expr.kind {
            ExprKind::Repeat(_, len) => *len = length(*len, arguments),
            ExprKind::CallOf(_, given, _) => {
                for argument in given {
                    *argument = argument_in(argument, arguments);
                }
            }
            _ => {}
        }
        for (name, argument) in &names {
            member(module, expr, name, argument);
        }
    });
}

fn argument_in(argument: &Argument, arguments: &Arguments) -> Argument {
    match argument {
        Argument::Format(id) => arguments.get(id).cloned().unwrap_or(Argument::Format(*id)),
        Argument::Type(ty) => Argument::Type(substituted(ty, arguments)),
        Argument::Const(len) => Argument::Const(length(*len, arguments)),
        Argument::Open => Argument::Open,
    }
}

/// Makes `expr` what it is of the parameter `name`, where it is anything: `N`, `F::ELEMS`,
/// `F::decode(..)`, `T::from_f32(x)`.
fn member(module: &Module, expr: &mut Expr, name: &str, argument: &Argument) {
    let ExprKind::Named(path, _, args) = &mut expr.kind else {
        return;
    };
    if let (Argument::Const(value), true) = (argument, path == name) {
        *expr = Expr::u32(u64::from(*value), expr.span);
        return;
    }
    let Some(member) = path
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix("::"))
    else {
        return;
    };
    let args = std::mem::take(args);
    let kind = match argument {
        Argument::Format(id) => module.format(*id).and_then(|format| {
            format.consts.value(member).or_else(|| {
                let mut functions = format.functions.iter();
                let (_, item) = functions.find(|(function, _)| function == member)?;
                Some(ExprKind::Call(*item, args.clone()))
            })
        }),
        Argument::Type(Type::Struct(id, _)) => module.structure(*id).and_then(|structure| {
            let named = |all: &[(String, ItemId)]| {
                let mut all = all.iter();
                all.find(|(name, _)| name == member).map(|(_, item)| *item)
            };
            let function = named(&structure.functions);
            function
                .map(|item| ExprKind::Call(item, args.clone()))
                .or_else(|| named(&structure.consts).map(ExprKind::Const))
        }),
        Argument::Type(ty) if member == "from_f32" => match args.as_slice() {
            [value] => {
                expr.ty = ty.clone();
                Some(match ty {
                    Type::Scalar(Scalar::F16) => {
                        expr.ty = Type::Unknown;
                        ExprKind::Named("f16::from_f32".into(), expr.span, args.clone())
                    }
                    _ => ExprKind::Cast(Box::new(value.clone())),
                })
            }
            _ => None,
        },
        _ => None,
    };
    match kind {
        Some(kind) => {
            if matches!(kind, ExprKind::Int(_)) {
                expr.ty = Type::U32;
            }
            expr.kind = kind;
        }
        None => {
            if let ExprKind::Named(_, _, place) = &mut expr.kind {
                *place = args;
            }
        }
    }
}
