//! `#[device] impl`: the functions and consts of a struct.
//!
//! A path brings one macro, the struct's. So a struct that has functions says so,
//! `#[device(impl)] struct`, and its macro carries its `impl`, which it fetches by a name that only
//! the module of both knows.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use super::host;
use crate::chain::{self, IMPL};
use crate::parse::methods::Methods;
use crate::paths;

/// What marks a struct that has functions, among the tokens that its chain carries.
const MARK: &str = "__rlx_has_impl";

/// The struct under `#[device(impl)]`, with the mark as its first attribute; `None` for anything
/// else.
pub fn marked(attribute: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    let mark: syn::Token![impl] = syn::parse2(attribute.clone()).ok()?;
    let structure: syn::ItemStruct = syn::parse2(item.clone()).ok()?;
    let name = syn::Ident::new(MARK, mark.span);
    Some(quote!(#[#name] #structure))
}

/// The place of the mark of a struct.
pub fn mark(item: &syn::ItemStruct) -> Option<Span> {
    let mark = item.attrs.iter().find(|attr| attr.path().is_ident(MARK))?;
    Some(mark.path().get_ident()?.span())
}

/// The name of the macro of a struct's `impl`.
pub fn macro_name(name: &syn::Ident) -> syn::Ident {
    format_ident!("{IMPL}{}", paths::name(name), span = name.span())
}

/// The path of that macro, as the mark of the struct.
pub fn path(name: &syn::Ident, mark: Span) -> syn::Path {
    let mut name = macro_name(name);
    name.set_span(mark);
    name.into()
}

/// What the end of the chain of an `impl` is called.
pub fn step(name: &syn::Ident) -> syn::Ident {
    format_ident!("__RLX_IMPL_{}", paths::name(name))
}

/// What is said where the chain of an `impl` stops.
pub fn unfinished(name: &syn::Ident) -> TokenStream {
    let text = paths::name(name);
    chain::Unfinished {
        name: &step(name),
        at: name.span(),
        message: format!(
            "kernels cannot use the `impl` of `{text}`, because a path in it is no item that kernels know, and so rustc finds no macro by it"
        ),
        help: "mark it `#[device]`, and import it by that path; a function outside of the `impl` that takes the struct belongs inside",
        steps: &[step(name)],
        statics: false,
    }
    .to_tokens()
}

/// What is said where the chain of a struct stops.
pub fn unfinished_struct(item: &syn::ItemStruct) -> TokenStream {
    let name = paths::name(&item.ident);
    let help = match mark(item) {
        Some(_) => format!(
            "write `#[device] impl {name} {{ .. }}` in the same module, and mark the structs in its fields `#[device]`"
        ),
        None => "mark the structs in its fields `#[device]`, and import them by those paths".into(),
    };
    super::device::unfinished_unless(&item.ident, "kernels cannot use", &help)
}

/// The struct for rustc.
pub fn structure(item: &syn::ItemStruct) -> TokenStream {
    let name = &item.ident;
    let mut rust = item.clone();
    rust.attrs.retain(|attr| !attr.path().is_ident(MARK));
    let marked =
        mark(item).map(|_| quote!(impl ::rlx_kernels::__private::HasDeviceImpl for #name {}));
    // Rust's own order of fields is no layout; this one is compared with WGSL's.
    let has_layout = rust.attrs.iter().any(|attr| attr.path().is_ident("repr"));
    let layout = (!has_layout).then(|| quote!(#[repr(C)]));
    quote!(#[allow(dead_code)] #layout #rust #marked)
}

/// The `impl` for rustc, and the check that its struct is marked.
pub fn rust_side(methods: &Methods) -> TokenStream {
    let Methods {
        attrs,
        ident,
        functions,
        consts,
    } = methods;
    let functions = functions
        .iter()
        .filter(|function| host::is_host(function))
        .map(host::function);
    let consts = consts.iter().map(ToTokens::to_token_stream);
    let check = quote_spanned! {ident.span()=>
        ::rlx_kernels::__private::has_device_impl::<#ident>()
    };
    quote! {
        #(#attrs)*
        #[allow(clippy::all, clippy::pedantic, unused_parens, dead_code, elided_lifetimes_in_paths, trivial_numeric_casts)]
        impl #ident {
            #(#consts)*
            #(#functions)*
        }
        const _: () = #check;
    }
}
