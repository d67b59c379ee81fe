//! `#[device] impl`: the functions and consts of a struct.
//!
//! A path brings one macro, the struct's. So a struct that has functions says so,
//! `#[device(impl)] struct`, and its macro carries its `impl`, which it fetches by a name that only
//! the module of both knows.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;

use super::host;
use crate::chain::{self, IMPL};
use crate::parse::methods::Methods;
use crate::paths;

/// What marks a struct that has functions, among the tokens that its chain carries.
const MARK: &str = "__rlx_has_impl";

/// An `impl` that a struct says it has.
pub struct Mark {
    /// The last name of the trait that it is of.
    pub of: Option<syn::Ident>,
    /// Where that is said.
    pub at: Span,
}

/// `impl`, `impl Trait`, `impl Trait + Other`, in a list.
struct Marks(Vec<Mark>);

impl Parse for Marks {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut all = Vec::new();
        while !input.is_empty() {
            let at = input.parse::<syn::Token![impl]>()?.span;
            if input.is_empty() || input.peek(syn::Token![,]) {
                all.push(Mark { of: None, at });
            } else {
                let traits =
                    Punctuated::<syn::Path, syn::Token![+]>::parse_separated_nonempty(input)?;
                for path in traits {
                    let of = path.segments.last().map(|last| last.ident.clone());
                    let at = of.as_ref().map_or(at, syn::Ident::span);
                    all.push(Mark { of, at });
                }
            }
            if !input.is_empty() {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok(Self(all))
    }
}

/// The struct under `#[device(impl ..)]`, with a mark for each `impl` as its first attributes; `None`
/// for anything else.
pub fn marked(attribute: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    let Marks(marks) = syn::parse2(attribute.clone()).ok()?;
    let structure: syn::ItemStruct = syn::parse2(item.clone()).ok()?;
    if marks.is_empty() {
        return None;
    }
    let marks = marks.iter().map(|mark| {
        let name = syn::Ident::new(MARK, mark.at);
        let of = mark.of.as_ref().map(|of| quote!((#of)));
        quote!(#[#name #of])
    });
    Some(quote!(#(#marks)* #structure))
}

/// The marks of a struct.
pub fn marks(item: &syn::ItemStruct) -> Vec<Mark> {
    let marks = item.attrs.iter().filter(|attr| attr.path().is_ident(MARK));
    let marks = marks.filter_map(|mark| {
        Some(Mark {
            of: mark.parse_args().ok(),
            at: mark.path().get_ident()?.span(),
        })
    });
    marks.collect()
}

/// The name of the macro of a struct's `impl`.
pub fn macro_name(name: &syn::Ident, of: Option<&syn::Ident>) -> syn::Ident {
    format_ident!("{}", whose(IMPL, name, of), span = name.span())
}

fn whose(prefix: &str, name: &syn::Ident, of: Option<&syn::Ident>) -> String {
    let of = of.map_or_else(String::new, |of| format!("_as_{}", paths::name(of)));
    format!("{prefix}{}{of}", paths::name(name))
}

/// The path of that macro, as the mark of the struct.
pub fn path(name: &syn::Ident, mark: &Mark) -> syn::Path {
    let mut name = macro_name(name, mark.of.as_ref());
    name.set_span(mark.at);
    name.into()
}

/// The last name of the trait that an `impl` is of.
pub fn of(methods: &Methods) -> Option<&syn::Ident> {
    let last = methods.of.as_ref()?.segments.last()?;
    Some(&last.ident)
}

/// What the end of the chain of an `impl` is called.
pub fn step(methods: &Methods) -> syn::Ident {
    format_ident!("{}", whose("__RLX_IMPL_", &methods.ident, of(methods)))
}

/// What is said where the chain of an `impl` stops.
pub fn unfinished(methods: &Methods) -> TokenStream {
    let text = paths::name(&methods.ident);
    let step = step(methods);
    chain::Unfinished {
        name: &step,
        at: methods.ident.span(),
        message: format!(
            "kernels cannot use the `impl` of `{text}`, because a path in it is no item that kernels know, and so rustc finds no macro by it"
        ),
        help: "mark it `#[device]`, and import it by that path; a function outside of the `impl` that takes the struct belongs inside",
        steps: std::slice::from_ref(&step),
        statics: &[],
    }
    .to_tokens()
}

/// What is said where the chain of a struct stops.
pub fn unfinished_struct(item: &syn::ItemStruct) -> TokenStream {
    let name = paths::name(&item.ident);
    let impls = marks(item).into_iter().map(|mark| match mark.of {
        Some(of) => format!("`#[device] impl {of} for {name} {{ .. }}`"),
        None => format!("`#[device] impl {name} {{ .. }}`"),
    });
    let impls: Vec<_> = impls.collect();
    let help = match impls.as_slice() {
        [_, ..] if item.fields.is_empty() => {
            format!("write {} in the same module", impls.join(" and "))
        }
        [_, ..] => format!(
            "write {} in the same module, and mark the structs in its fields `#[device]`",
            impls.join(" and ")
        ),
        [] => "mark the structs in its fields `#[device]`, and import them by those paths".into(),
    };
    super::device::unfinished_unless(&item.ident, "kernels cannot use", &help)
}

/// The struct for rustc.
pub fn structure(item: &syn::ItemStruct) -> TokenStream {
    let name = &item.ident;
    let mut rust = item.clone();
    rust.attrs.retain(|attr| !attr.path().is_ident(MARK));
    let marked = marks(item).into_iter().map(|mark| {
        let of = number(mark.of.as_ref());
        quote!(impl ::rlx_kernels::__private::HasDeviceImpl<#of> for #name {})
    });
    // Rust's own order of fields is no layout; this one is compared with WGSL's.
    let has_layout = rust.attrs.iter().any(|attr| attr.path().is_ident("repr"));
    let layout = (!has_layout).then(|| quote!(#[repr(C)]));
    quote!(#[allow(dead_code)] #layout #rust #(#marked)*)
}

/// The `impl` for rustc, and the check that its struct is marked.
pub fn rust_side(methods: &Methods) -> TokenStream {
    let Methods {
        attrs,
        ident,
        functions,
        consts,
        ..
    } = methods;
    // A trait wants all of its functions.
    let functions = functions.iter().filter_map(|function| {
        if host::is_host(function) {
            return Some(host::function(function));
        }
        methods.of.is_some().then(|| host::signature(function))
    });
    let consts = consts.iter().map(ToTokens::to_token_stream);
    let number = number(of(methods));
    let check = quote_spanned! {ident.span()=>
        ::rlx_kernels::__private::has_device_impl::<#number, #ident>()
    };
    let of = methods.of.as_ref().map(|of| quote!(#of for));
    quote! {
        #(#attrs)*
        #[allow(clippy::all, clippy::pedantic, unused_parens, dead_code, elided_lifetimes_in_paths, trivial_numeric_casts)]
        impl #of #ident {
            #(#consts)*
            #(#functions)*
        }
        const _: () = #check;
    }
}

/// A number for the trait of an `impl`, 0 where it is of none.
fn number(of: Option<&syn::Ident>) -> u64 {
    of.map_or(0, |of| chain::fnv1a(paths::name(of).as_bytes()))
}
