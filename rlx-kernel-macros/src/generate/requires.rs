//! Checks of a kernel's `#[requires(..)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use rlx_kernel_ir::Type;
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
pub fn checks(requirements: &[Requirement], signature: &[Parameter], scope: Scope) -> TokenStream {
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
        .map(|requirement| check(requirement, signature, scope))
        .collect()
}

fn check(requirement: &Requirement, signature: &[Parameter], scope: Scope) -> TokenStream {
    let (mut bindings, mut values) = (Vec::new(), Vec::new());
    for parameter in signature {
        match parameter {
            Parameter::Plain {
                name,
                ty: Type::U32,
                ..
            } if requirement.names.contains(&paths::name(name)) => {
                let value = match scope {
                    Scope::Launch => quote!(#name),
                    Scope::Dispatch => quote!(params.#name),
                };
                bindings.push(quote!(let #name = u128::from(#value);));
                let text = format!("{} = {{}}", paths::name(name));
                values.push(quote!(format!(#text, #name)));
            }
            Parameter::Slice { name, .. } if requirement.names.contains(&paths::name(name)) => {
                bindings.push(quote!(let #name = ::rlx_kernels::dispatch::Length(#name.len());));
                let text = format!("{}.len() = {{}}", paths::name(name));
                values.push(quote!(format!(#text, #name.len())));
            }
            _ => {}
        }
    }
    // Tokens print with spaces that nobody writes.
    let text = requirement.condition.to_token_stream().to_string();
    let text = text
        .replace(" . ", ".")
        .replace(" ()", "()")
        .replace(" :: ", "::");
    let mut condition = requirement.condition.clone();
    Widen.visit_expr_mut(&mut condition);
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

/// Makes the `u32` consts of types as wide as the params.
struct Widen;

impl VisitMut for Widen {
    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if let syn::Expr::Path(path) = expr
            && path.path.segments.len() > 1
            && let Ok(wide) = syn::parse2(quote!(u128::from(#path)))
        {
            *expr = wide;
        }
    }
}
