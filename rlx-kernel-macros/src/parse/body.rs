//! One function body: its scopes and variables.

use std::collections::HashMap;

use rlx_kernel_ir::{Const, Function, ItemId, Local, LocalId, Origin, Override, Parameter, Type};

use super::labels::Round;
use super::{Resolver, Sink, Target};
use crate::paths;

/// What a name in a body means.
#[derive(Clone, Copy, Debug)]
pub enum Name {
    /// A variable.
    Local(LocalId),
    /// A binding of the kernel.
    Binding(usize),
    /// A param of the kernel.
    Param(usize),
    /// A workgroup variable of the kernel.
    Workgroup(usize),
}

/// Parses one body.
pub struct BodyParser<'a> {
    pub sink: &'a mut Sink,
    pub resolver: &'a Resolver,
    /// Values of consts that array lengths may name.
    pub lengths: &'a HashMap<String, u32>,
    /// Names of the open scopes, innermost last.
    pub scopes: Vec<Vec<(String, Name)>>,
    pub locals: Vec<Local>,
    /// Workgroup variables found in the body of a kernel.
    pub workgroup: Vec<rlx_kernel_ir::WorkgroupVar>,
    pub in_kernel: bool,
    /// Loops around the statement at hand, innermost last.
    pub rounds: Vec<Round>,
    /// Const parameters of the kernel without declared values.
    pub overrides: Vec<(ItemId, Override)>,
    /// Whether `self` is borrowed shared: a copy, which `*self` names too.
    pub shared_self: bool,
}

impl<'a> BodyParser<'a> {
    pub fn new(
        sink: &'a mut Sink,
        resolver: &'a Resolver,
        lengths: &'a HashMap<String, u32>,
    ) -> Self {
        Self {
            sink,
            resolver,
            lengths,
            scopes: vec![Vec::new()],
            locals: Vec::new(),
            workgroup: Vec::new(),
            in_kernel: false,
            rounds: Vec::new(),
            overrides: Vec::new(),
            shared_self: false,
        }
    }

    /// Adds a variable to the innermost scope.
    pub fn declare(&mut self, name: &syn::Ident, ty: Type, mutable: bool) -> LocalId {
        let span = self.sink.span_at(name);
        let id = LocalId(self.locals.len());
        self.locals.push(Local {
            name: paths::name(name),
            ty,
            mutable,
            span,
        });
        self.bind(paths::name(name), Name::Local(id));
        id
    }

    /// Adds a `mut` variable of type `bool` that no name leads to.
    pub fn hidden(&mut self, place: &syn::Ident, name: String) -> LocalId {
        let span = self.sink.span_at(place);
        let id = LocalId(self.locals.len());
        self.locals.push(Local {
            name,
            ty: Type::BOOL,
            mutable: true,
            span,
        });
        id
    }

    /// Gives a name a meaning in the innermost scope.
    pub fn bind(&mut self, name: String, meaning: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name, meaning));
        }
    }

    /// The meaning of a name.
    pub fn lookup(&self, name: &str) -> Option<Name> {
        for scope in self.scopes.iter().rev() {
            for (known, meaning) in scope.iter().rev() {
                if known == name {
                    return Some(*meaning);
                }
            }
        }
        None
    }

    /// A helper.
    pub fn function(
        mut self,
        function: &syn::ItemFn,
        wgsl_name: String,
        origin: Origin,
    ) -> Function {
        let from = self.sink.spans.len();
        let mut params = Vec::new();
        for input in &function.sig.inputs {
            match input {
                syn::FnArg::Receiver(receiver) => {
                    if let Some(param) = self.receiver(receiver) {
                        params.push(param);
                    }
                }
                syn::FnArg::Typed(typed) => {
                    let ty = self.ty(&typed.ty);
                    match &*typed.pat {
                        syn::Pat::Ident(ident) => {
                            let local = self.declare(&ident.ident, ty.clone(), false);
                            if ident.mutability.is_some() {
                                self.sink.error_help(
                                    &typed.pat,
                                    "a parameter cannot be `mut`",
                                    "copy it: `let mut x = x;`",
                                );
                            }
                            params.push(Parameter { local, ty });
                        }
                        syn::Pat::Wild(wild) => {
                            let name = syn::Ident::new("_unused", wild.underscore_token.span);
                            let local = self.declare(&name, ty.clone(), false);
                            params.push(Parameter { local, ty });
                        }
                        other => self.sink.error_help(
                            other,
                            "a parameter is a name",
                            "take the parts as parameters of their own",
                        ),
                    }
                }
            }
        }
        let ret = match &function.sig.output {
            syn::ReturnType::Default => Type::Unit,
            syn::ReturnType::Type(_, ty) => self.ty(ty),
        };
        if matches!(
            ret,
            Type::Block { .. } | Type::Slice { .. } | Type::Pointer(_)
        ) {
            self.sink.error_help(
                &function.sig.output,
                "a function returns values, not blocks or references",
                "return what is read from it",
            );
        }
        let body = self.block(&function.block);
        let span = self.sink.span_at(&function.sig.ident);
        self.sink.levels(&function.attrs, from);
        Function {
            name: paths::name(&function.sig.ident),
            wgsl_name,
            generics: Vec::new(),
            method: function.sig.receiver().is_some(),
            params,
            ret,
            locals: self.locals,
            body,
            span,
            origin,
        }
    }

    /// `self`, `&self` or `&mut self`.
    fn receiver(&mut self, receiver: &syn::Receiver) -> Option<Parameter> {
        let Some(Target::Struct(id, name)) = self.resolver.targets.get("Self") else {
            let help = "take the value as a named parameter";
            let message = "only functions of a `#[device] impl` have a `self`";
            self.sink.error_help(receiver, message, help);
            return None;
        };
        let structure = Type::Struct(*id, name.clone());
        let ty = match &receiver.kind {
            syn::ReceiverKind::Reference(_, _, Some(_)) => Type::Pointer(Box::new(structure)),
            syn::ReceiverKind::Reference(_, _, None) => {
                self.shared_self = true;
                structure
            }
            syn::ReceiverKind::Value => structure,
            _ => {
                let help = "write `self`, `&self` or `&mut self`";
                let message = "`self` has the struct's type here";
                self.sink.error_help(receiver, message, help);
                structure
            }
        };
        if receiver.mutability.is_some() {
            let help = "copy it: `let mut x = self;`";
            self.sink
                .error_help(receiver, "a parameter cannot be `mut`", help);
        }
        let name = syn::Ident::new("self", receiver.self_token.span);
        let local = self.declare(&name, ty.clone(), false);
        Some(Parameter { local, ty })
    }

    /// A const, named `name` in WGSL.
    pub fn constant_item(mut self, item: &syn::ItemConst, name: String, origin: Origin) -> Const {
        let ty = self.ty(&item.ty);
        let ty = self.in_memory(&item.ty, ty);
        let value = self.expr(&item.expr);
        let elements = elements(&ty);
        if matches!(
            ty,
            Type::Slice { .. } | Type::Pointer(_) | Type::Block { .. }
        ) {
            let message =
                "a `#[device]` const is a value: a scalar, a vector, a struct or an array";
            let help = "write a table as `[T; N]`, without `&`";
            self.sink.error_help(&item.ty, message, help);
        } else if elements > MAX_TABLE {
            let message = format!(
                "a table of {elements} elements is slow as a constant: {MAX_TABLE} is the most"
            );
            let help = "take it as a slice, which a host uploads once: a driver compiles a large constant for seconds, and reads it many times slower than a buffer";
            self.sink.error_help(&item.ty, message, help);
        }
        Const {
            name,
            ty,
            value,
            origin,
        }
    }
}

/// Elements of a table in a const at the most.
const MAX_TABLE: u64 = 64;

/// Elements of an array, those of the arrays in it counted.
fn elements(ty: &Type) -> u64 {
    match ty {
        Type::Array(elem, len) => elements(elem).saturating_mul(u64::from(*len)),
        _ => 1,
    }
}
