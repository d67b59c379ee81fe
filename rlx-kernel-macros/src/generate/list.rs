//! Lists of formats, for `instances(F in list)`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};

use crate::chain;

struct List {
    name: syn::Ident,
    members: Vec<syn::Ident>,
}

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        let mut members = Vec::new();
        while !input.is_empty() {
            members.push(input.parse()?);
        }
        Ok(Self { name, members })
    }
}

/// Defines the macro that hands the names of a list to a kernel.
pub fn define(input: &TokenStream) -> TokenStream {
    let list: List = match syn::parse2(input.clone()) {
        Ok(list) => list,
        Err(error) => return error.to_compile_error(),
    };
    let List { name, members } = list;
    let id = chain::fnv1a(
        format!(
            "{}|{}|{input}",
            chain::crate_name(),
            Span::call_site().file()
        )
        .as_bytes(),
    );
    let hidden = format_ident!("__rlx_list_{}_{}", name, format!("{id:016x}"));
    quote! {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! #hidden {
            (@list { $($state:tt)* }) => {
                ::rlx_kernels::__private::__expand_instances! { { $($state)* } #(#members)* }
            };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub use #hidden as #name;
    }
}
