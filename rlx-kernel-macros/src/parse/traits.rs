//! `#[device] trait`: what a type has that stands for a parameter of a generic function.

use rlx_kernel_ir::{Expr, ExprKind, Local, LocalId, Origin, Span, Stmt, Trait, Type};

use super::body::BodyParser;
use super::{Resolver, Sink};
use crate::paths;
use std::collections::HashMap;

/// A trait of functions and consts.
pub struct DeviceTrait {
    /// The author's item, for rustc.
    pub item: syn::ItemTrait,
    /// Its functions, with empty bodies.
    pub functions: Vec<syn::ItemFn>,
    /// Names and types of its consts.
    pub consts: Vec<(syn::Ident, syn::Type)>,
}

impl DeviceTrait {
    /// Takes a trait apart.
    ///
    /// # Errors
    /// What a trait for devices cannot be or hold.
    pub fn new(item: syn::ItemTrait) -> syn::Result<Self> {
        if let Some(param) = item.generics.params.first() {
            let message =
                "a device trait cannot be generic; write it for the types that its kernels use";
            return Err(syn::Error::new_spanned(param, message));
        }
        if let Some(of) = item.supertraits.first() {
            let message =
                "a device trait has no supertraits yet; write what it needs into the trait itself";
            return Err(syn::Error::new_spanned(of, message));
        }
        let (mut functions, mut consts) = (Vec::new(), Vec::new());
        for member in &item.items {
            match member {
                syn::TraitItem::Fn(function) => functions.push(signature(function)?),
                syn::TraitItem::Const(constant) => {
                    if let Some((_, value)) = &constant.default {
                        let message =
                            "a const of a device trait has no default: write it in each `impl`";
                        return Err(syn::Error::new_spanned(value, message));
                    }
                    consts.push((constant.ident.clone(), constant.ty.clone()));
                }
                other => {
                    let message = "a device trait holds functions and consts";
                    return Err(syn::Error::new_spanned(other, message));
                }
            }
        }
        Ok(Self {
            item,
            functions,
            consts,
        })
    }
}

fn signature(function: &syn::TraitItemFn) -> syn::Result<syn::ItemFn> {
    let sig = &function.sig;
    if let Some(receiver) = sig.receiver() {
        let message = "a function of a device trait takes no `self`: kernels call it by its type, `A::apply(x)`";
        return Err(syn::Error::new_spanned(receiver, message));
    }
    if let Some(param) = sig.generics.params.first() {
        let message = "a function of a device trait cannot be generic; write a `#[device]` function that takes the type as a parameter";
        return Err(syn::Error::new_spanned(param, message));
    }
    if let Some(body) = &function.default {
        let message = "a function of a device trait has no body: write it in each `impl`, or as a `#[device]` function that they call";
        return Err(syn::Error::new_spanned(body, message));
    }
    Ok(syn::ItemFn {
        attrs: Vec::new(),
        vis: syn::Visibility::Inherited,
        modifiers: function.modifiers.clone(),
        sig: sig.clone(),
        block: syn::parse_quote!({}),
    })
}

/// The trait of the kernel IR.
pub fn device_trait(
    sink: &mut Sink,
    item: &DeviceTrait,
    resolver: &Resolver,
    lengths: &HashMap<String, u32>,
    origin: Origin,
) -> Trait {
    let functions = item.functions.iter().map(|function| {
        let name = paths::name(&function.sig.ident);
        let parser = BodyParser::new(sink, resolver, lengths);
        let mut function = parser.function(function, name.clone(), origin.clone());
        if function.ret != Type::Unit {
            // A value of which nothing is known.
            let local = LocalId(function.locals.len());
            function.locals.push(Local {
                name: "value".into(),
                ty: function.ret.clone(),
                mutable: true,
                span: Span::NONE,
            });
            function.body.stmts.push(Stmt::Let {
                local,
                init: None,
                span: Span::NONE,
            });
            let value = Expr::new(ExprKind::Local(local), Span::NONE);
            function.body.tail = Some(Box::new(value));
        }
        (name, function)
    });
    let functions = functions.collect();
    let consts = item.consts.iter().map(|(name, ty)| {
        let mut parser = BodyParser::new(sink, resolver, lengths);
        let found = parser.ty(ty);
        if !matches!(found, Type::Scalar(_) | Type::Error) {
            let help = "write a function that gives it: `fn name() -> T`";
            sink.error_help(
                ty,
                "a const of a device trait is a number or a `bool`",
                help,
            );
        }
        (paths::name(name), found)
    });
    Trait {
        name: paths::name(&item.item.ident),
        consts: consts.collect(),
        functions,
        origin,
    }
}
