//! Checks of a kernel's `#[requires(..)]`.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use rlx_kernel_ir::Scalar;
use syn::visit_mut::{self, VisitMut};

use crate::parse::kernel::Parameter;
use crate::parse::requires::Requirement;
use crate::paths;

/// What a check can see.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A launch: buffers with their lengths, the types of an instance.
    Launch,
    /// A dispatch: the params alone.
    Dispatch,
}

/// Statements that return an error for the first requirement that does not hold. Conditions are
/// computed in 128 bits, so that no product of params wraps.
pub fn checks(
    requirements: &[Requirement],
    signature: &[Parameter],
    scope: Scope,
    readers: &HashMap<String, TokenStream>,
) -> TokenStream {
    let is_slice = |name: &String| {
        signature.iter().any(
            |parameter| matches!(parameter, Parameter::Slice { name: slice, .. } if slice == name),
        )
    };
    let visible = requirements.iter().filter(|requirement| match scope {
        Scope::Launch => true,
        Scope::Dispatch => !requirement.of_types && !requirement.names.iter().any(is_slice),
    });
    visible
        .map(|requirement| check(requirement, signature, scope, readers))
        .collect()
}

fn check(
    requirement: &Requirement,
    signature: &[Parameter],
    scope: Scope,
    readers: &HashMap<String, TokenStream>,
) -> TokenStream {
    let (mut bindings, mut values) = (Vec::new(), Vec::new());
    for parameter in signature {
        match parameter {
            Parameter::Plain { name, host, .. }
                if host.is(Scalar::U32) && requirement.names.contains(&paths::name(name)) =>
            {
                let value = match scope {
                    Scope::Launch => quote!(#name),
                    Scope::Dispatch => quote!(params.#name),
                };
                bindings.push(quote!(let #name = u128::from(#value);));
                let text = format!("{} = {{}}", paths::name(name));
                values.push(quote!(format!(#text, #name)));
            }
            Parameter::Slice { name, .. } if requirement.names.contains(&paths::name(name)) => {
                bindings
                    .push(quote!(let #name = ::rlx_kernels::dispatch::Length(#name.len() as u64);));
                let text = format!("{}.len() = {{}}", paths::name(name));
                values.push(quote!(format!(#text, #name.len())));
            }
            _ => {}
        }
    }
    let mut consts: Vec<_> = requirement
        .names
        .iter()
        .filter(|name| readers.contains_key(*name))
        .collect();
    consts.sort();
    for name in consts {
        let (read, text) = (&readers[name], format!("{name} = {{}}"));
        values.push(quote!(format!(#text, #read)));
    }
    let text = &requirement.text;
    let known: Vec<String> = signature
        .iter()
        .map(|parameter| paths::name(parameter.name()))
        .collect();
    let condition = widened(&requirement.condition, &known, "u128", readers);
    let values = if values.is_empty() {
        quote!(String::new())
    } else {
        quote!([#(#values),*].join(", "))
    };
    quote! {{
        #(#bindings)*
        if !(#condition) {
            return Err(::rlx_kernels::DispatchError::Requires {
                kernel: KERNEL.into(),
                condition: #text.into(),
                values: #values,
            });
        }
    }}
}

/// `expr` with its `u32` consts made as wide as the params: every path but the names in `known`.
/// Those in `readers` are read as it says.
pub fn widened(
    expr: &syn::Expr,
    known: &[String],
    wide: &str,
    readers: &HashMap<String, TokenStream>,
) -> syn::Expr {
    let mut expr = expr.clone();
    let wide = format_ident!("{wide}");
    Widen {
        known,
        wide,
        readers,
    }
    .visit_expr_mut(&mut expr);
    expr
}

struct Widen<'k> {
    known: &'k [String],
    wide: syn::Ident,
    readers: &'k HashMap<String, TokenStream>,
}

impl VisitMut for Widen<'_> {
    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        // What is called is no number.
        call.args
            .iter_mut()
            .for_each(|arg| self.visit_expr_mut(arg));
    }

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        let reader = match &*expr {
            syn::Expr::Path(path) => self.readers.get(&paths::text(&path.path)),
            _ => None,
        };
        if let Some(Ok(read)) = reader.map(|reader| syn::parse2(reader.clone())) {
            *expr = read;
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
        let wide = &self.wide;
        if let syn::Expr::Path(path) = expr
            && !self.known.contains(&paths::text(&path.path))
            && paths::is_const_path(&path.path)
            && let Ok(widened) = syn::parse2(quote!(#wide::from(#path)))
        {
            *expr = widened;
        }
    }
}
