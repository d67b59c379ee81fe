//! The values of a kernel's overrides on the host.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use rlx_kernel_ir::{Compiled, overrides::Term};

use super::text::list;
use crate::parse::Sink;
use crate::parse::kernel::KernelArgs;
use crate::parse::overrides::ConstParameter;
use crate::paths;

/// The const parameters without declared values.
pub fn of(args: &KernelArgs, function: &syn::ItemFn) -> Vec<ConstParameter> {
    parameters(&mut Sink::default(), args, function)
}

/// The same, with what is wrong with them.
pub fn parameters(
    sink: &mut Sink,
    args: &KernelArgs,
    function: &syn::ItemFn,
) -> Vec<ConstParameter> {
    let params = function.sig.generics.const_params();
    let open = params.filter(|param| !args.instances.iter().any(|(name, _)| *name == param.ident));
    open.filter_map(|param| ConstParameter::new(sink, param))
        .collect()
}

fn field(parameter: &ConstParameter) -> syn::Ident {
    format_ident!("{}", paths::name(&parameter.name).to_lowercase())
}

/// The struct of their values; nothing for a kernel without any.
pub fn to_rust(all: &[ConstParameter]) -> TokenStream {
    if all.is_empty() {
        return TokenStream::new();
    }
    let (mut fields, mut defaults, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for parameter in all {
        let (name, field) = (paths::name(&parameter.name), field(parameter));
        let ty = format_ident!("{}", parameter.ty.name());
        let default = parameter.default.unwrap_or(1);
        let doc = format!("`{name}`");
        fields.push(quote!(#[doc = #doc] pub #field: #ty));
        let value = if ty == "bool" {
            let value = default != 0;
            quote!(#value)
        } else {
            let value = proc_macro2::Literal::i64_unsuffixed(default);
            quote!(#value)
        };
        defaults.push(quote!(#field: #value));
        values.push(quote!(i64::from(self.#field)));
    }
    quote! {
        /// The kernel's const parameters, which a pipeline is made for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Overrides {
            #(#fields,)*
        }

        impl Default for Overrides {
            fn default() -> Self {
                Self { #(#defaults),* }
            }
        }

        impl Overrides {
            /// The values in the order of the kernel's parameters.
            fn values(self) -> Vec<i64> {
                vec![#(#values),*]
            }
        }
    }
}

/// How code of the host reads the const parameters of a kernel, by name: declared ones from
/// `kernel`, the others from `overrides`.
pub fn readers(
    args: &KernelArgs,
    function: &syn::ItemFn,
    declared: bool,
    wide: &str,
) -> HashMap<String, TokenStream> {
    let wide = format_ident!("{wide}");
    let mut readers = HashMap::new();
    for parameter in of(args, function) {
        let field = field(&parameter);
        let name = paths::name(&parameter.name);
        readers.insert(name, quote!(#wide::from(overrides.#field)));
    }
    if declared {
        for param in function.sig.generics.const_params() {
            let name = paths::name(&param.ident);
            let text = name.clone();
            readers
                .entry(name)
                .or_insert_with(|| quote!(#wide::from(kernel.number(#text))));
        }
    }
    readers
}

/// The overrides of a compiled kernel, and what they change about its workgroup, by the short names of
/// [`info`](super::kernel).
pub fn info(compiled: &Compiled) -> (String, String) {
    let overrides = list(&compiled.overrides, |item| {
        let (name, variable, ty, default) = (&item.name, &item.variable, &item.ty, item.default);
        format!(
            "__rlx::Override {{ name: __B({name:?}), variable: __B({variable:?}), ty: __B({ty:?}), default: {default} }}"
        )
    });
    let workgroup = match &compiled.workgroup {
        None => "::core::option::Option::None".to_string(),
        Some(formulas) => {
            let [x, y, z] = formulas.size.each_ref().map(|terms| formula(terms));
            let bytes = formula(&formulas.bytes);
            format!(
                "::core::option::Option::Some(__rlx::overrides::Workgroup {{ size: [{x}, {y}, {z}], bytes: {bytes} }})"
            )
        }
    };
    (overrides, workgroup)
}

fn formula(terms: &[Term]) -> String {
    let terms = list(terms, |term| format!("__rlx::overrides::Term::{term:?}"));
    format!("__rlx::overrides::Formula({terms})")
}
