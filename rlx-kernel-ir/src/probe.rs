//! Checks of helpers that are nothing by themselves: what takes slices, blocks or generic parameters
//! is called by a kernel made up for it.

use crate::expr::{Expr, ExprKind};
use crate::generic::{Argument, Arguments, Bound, substituted};
use crate::item::{
    Const, Format, FormatConsts, Function, Integers, Item, ItemId, Kernel, KernelBinding, Local,
    LocalId, Module, Origin, Parameter, Struct, Trait,
};
use crate::matrix;
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::{Scalar, Type};

/// A kernel that calls `root`, which takes slices or blocks, with a binding of its own for each of
/// them, and something for each generic parameter; `None` for a function of plain values.
pub(crate) fn probe(module: &Module, root: ItemId) -> Option<Module> {
    let function = module.function(root)?;
    let is_memory = |ty: &Type| matches!(ty, Type::Slice { .. } | Type::Block { .. });
    let takes_memory = function.params.iter().any(|param| is_memory(&param.ty));
    if !takes_memory && function.generics.is_empty() {
        return None;
    }
    let none = Span::NONE;
    let mut items = module.items.clone();
    let given = arguments(module, function, &mut items);
    let generics = function
        .generics
        .iter()
        .filter_map(|id| given.get(id))
        .cloned();
    let generics: Vec<_> = generics.collect();
    let (mut bindings, mut locals, mut stmts) = (Vec::new(), Vec::new(), Vec::new());
    let args = function.params.iter().map(|param| {
        let name = function.locals[param.local.0].name.clone();
        let ty = substituted(&param.ty, &given);
        let (elem, writable) = match &ty {
            Type::Slice { elem, writable, .. } => ((**elem).clone(), *writable),
            Type::Block { format, .. } => (Type::Packed(*format), false),
            plain => {
                let (ty, by_pointer) = match plain {
                    Type::Pointer(inner) => ((**inner).clone(), true),
                    other => (other.clone(), false),
                };
                let local = LocalId(locals.len());
                locals.push(Local {
                    name,
                    ty,
                    mutable: true,
                    span: none,
                });
                stmts.push(Stmt::Let {
                    local,
                    init: None,
                    span: none,
                });
                let value = Expr::new(ExprKind::Local(local), none);
                return if by_pointer {
                    Expr::new(ExprKind::Ref(true, Box::new(value)), none)
                } else {
                    value
                };
            }
        };
        let binding = Expr::new(ExprKind::Binding(bindings.len()), none);
        bindings.push(KernelBinding {
            name,
            elem,
            writable,
            span: none,
        });
        if let Type::Block { .. } = &ty {
            let first = vec![Expr::u32(0, none)];
            let block = ExprKind::Method(Box::new(binding), "block".into(), none, first);
            return Expr::new(block, none);
        }
        binding
    });
    let args = args.collect();
    let call = if generics.is_empty() {
        ExprKind::Call(root, args)
    } else {
        ExprKind::CallOf(root, generics, args)
    };
    stmts.push(Stmt::Expr(Expr::new(call, none)));
    let body = Block { stmts, tail: None };
    let function = Function {
        name: "probe".into(),
        wgsl_name: "probe".into(),
        locals,
        body,
        span: function.span,
        origin: function.origin.clone(),
        ..Function::default()
    };
    let kernel = Kernel {
        function,
        bindings,
        ..Kernel::default()
    };
    Some(Module {
        items,
        tables: module.tables.clone(),
        kernel: Some(kernel),
    })
}

/// What a generic helper is checked for where it is defined. A format of its own decodes to zeros.
fn arguments(module: &Module, function: &Function, items: &mut Vec<Item>) -> Arguments {
    let mut arguments = Arguments::new();
    for id in &function.generics {
        let Some(generic) = module.generic(*id) else {
            continue;
        };
        let argument = match generic.bound {
            Bound::Float => Argument::Type(Type::F32),
            // Rows of a matrix are 8 or 16.
            Bound::Const if names_matrices(function) => Argument::Const(8),
            Bound::Const => Argument::Const(4),
            Bound::Format => Argument::Format(zeros(&generic.name, items)),
            Bound::Trait(of) => match module.device_trait(of) {
                Some(of) => Argument::Type(nothing(&generic.name, of, items)),
                None => continue,
            },
        };
        arguments.insert(*id, argument);
    }
    arguments
}

/// Whether the type of a matrix is in a function that has no types yet.
fn names_matrices(function: &Function) -> bool {
    let locals = function.locals.iter().map(|local| &local.ty);
    let mut declared = locals.chain([&function.ret]);
    declared.any(Type::has_matrix) || matrix::in_function(function)
}

/// Adds a type of the given name that is `of`, and of which nothing more is known.
fn nothing(name: &str, of: &Trait, items: &mut Vec<Item>) -> Type {
    let id = ItemId(items.len());
    let mut next = id.0;
    let mut number = |name: &String| {
        next += 1;
        (name.clone(), ItemId(next))
    };
    let functions: Vec<_> = of.functions.iter().map(|(name, _)| number(name)).collect();
    let consts: Vec<_> = of.consts.iter().map(|(name, _)| number(name)).collect();
    items.push(Item::Struct(Struct {
        name: name.into(),
        span: Span::NONE,
        spans: Vec::new(),
        copied: true,
        fields: Vec::new(),
        functions,
        consts,
        origin: of.origin.clone(),
    }));
    let functions = of.functions.iter();
    items.extend(functions.map(|(_, function)| Item::Function(function.clone())));
    items.extend(of.consts.iter().map(|(name, ty)| {
        let value = match ty {
            Type::Scalar(Scalar::Bool) => ExprKind::Bool(true),
            ty if ty.scalar().is_some_and(Scalar::is_float) => ExprKind::Float("1.0".into()),
            _ => ExprKind::Int(1),
        };
        Item::Const(Const {
            name: name.clone(),
            ty: ty.clone(),
            value: Expr::new(value, Span::NONE),
            origin: of.origin.clone(),
        })
    }));
    Type::Struct(id, name.into())
}

/// Adds a format of the given name whose weights are all zero.
fn zeros(name: &str, items: &mut Vec<Item>) -> ItemId {
    let format = ItemId(items.len());
    let zero = || Expr::new(ExprKind::Float("0.0".into()), Span::NONE);
    let splat = ExprKind::Named("Vec4::splat".into(), Span::NONE, vec![zero()]);
    let run = ExprKind::Repeat(Box::new(Expr::new(splat, Span::NONE)), 2);
    let functions = [
        ("decode", Type::F32, zero()),
        (
            "decode8",
            Type::Array(Box::new(Type::vector(Scalar::F32, 4)), 2),
            Expr::new(run, Span::NONE),
        ),
        ("quants", Type::U32, Expr::u32(0, Span::NONE)),
        ("scale", Type::F32, zero()),
        ("minimum", Type::F32, zero()),
    ];
    let names = functions.iter().enumerate();
    let names =
        names.map(|(index, (name, ..))| ((*name).to_string(), ItemId(format.0 + 1 + index)));
    items.push(Item::Format(Format {
        name: name.into(),
        consts: FormatConsts {
            elems: 256,
            bytes: 256,
            integers: Some(Integers {
                run: 32,
                minimum: true,
            }),
        },
        fields: Vec::new(),
        functions: names.collect(),
        origin: Origin::default(),
    }));
    for (name, ret, value) in functions {
        let block = Type::Block {
            format,
            source: None,
        };
        let params = [("b", block), ("i", Type::U32)];
        let locals = params.iter().map(|(name, ty)| Local {
            name: (*name).into(),
            ty: ty.clone(),
            mutable: false,
            span: Span::NONE,
        });
        items.push(Item::Function(Function {
            name: name.into(),
            wgsl_name: name.into(),
            locals: locals.collect(),
            params: params
                .into_iter()
                .enumerate()
                .map(|(index, (_, ty))| Parameter {
                    local: LocalId(index),
                    ty,
                })
                .collect(),
            ret,
            body: Block {
                stmts: Vec::new(),
                tail: Some(Box::new(value)),
            },
            ..Function::default()
        }));
    }
    format
}
