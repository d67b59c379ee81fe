//! `#[format]`: the marker type, its Rust side, and its macro.

use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use rlx_kernel_ir::{Field, FieldKind};

use super::host;
use crate::chain::{self, State};
use crate::parse::format::{DECODING, Defaults, FormatItem, INTEGERS, TableArg};
use crate::{paths, report};

/// The paths that the functions of a format name.
pub fn paths(format: &FormatItem) -> Vec<syn::Path> {
    let mut all: Vec<syn::Path> = Vec::new();
    for function in &format.functions {
        for path in paths::collect(function, &[]) {
            if !all
                .iter()
                .any(|known| paths::text(known) == paths::text(&path))
            {
                all.push(path);
            }
        }
    }
    all
}

/// The attribute.
pub fn attribute(attribute: &TokenStream, item: &TokenStream) -> TokenStream {
    let format = match FormatItem::new(attribute.clone(), item.clone(), &mut Defaults::default()) {
        Ok(format) => format,
        Err(error) => return report::syntax(&error),
    };
    let head = quote!({ #attribute } #item);
    let paths = paths(&format);
    if paths.is_empty() {
        return match super::device::define(State::alone(head)) {
            Ok((is_right, definition)) => {
                let rust = rust_side(&format, is_right);
                quote!(#rust #definition)
            }
            Err(error) => report::syntax(&error),
        };
    }
    let rust = rust_side(&format, true);
    let chain = chain::start(&paths, "__define_device", &head);
    let unfinished = super::device::unfinished(&format.ident, "kernels cannot decode");
    quote!(#rust #chain #unfinished)
}

fn rust_side(format: &FormatItem, is_right: bool) -> TokenStream {
    let host = if is_right {
        host::function
    } else {
        host::signature
    };
    let FormatItem {
        args,
        ident,
        attrs,
        functions,
        ..
    } = format;
    let (name, ggml, elems, bytes) = (&args.name, args.ggml, args.elems, args.bytes);
    let (file, line) = chain::origin(ident);
    let (signatures, bodies): (Vec<_>, Vec<_>) = args.fields.iter().flat_map(accessors).unzip();
    // Functions beyond the trait's are the format's own.
    let is_among = |function: &syn::ItemFn, names: &[&str]| {
        names.iter().any(|name| function.sig.ident == name)
    };
    let (decoding, others): (Vec<_>, Vec<_>) = functions
        .iter()
        .map(Rc::as_ref)
        .partition(|function| is_among(function, &DECODING));
    let (integers, own): (Vec<_>, Vec<_>) = others
        .into_iter()
        .partition(|function| args.run.is_some() && is_among(function, &INTEGERS));
    let functions = decoding.into_iter().map(host);
    let own = own.into_iter().map(host);
    let integers = format.consts().integers.map(|consts| {
        let (run, minimum) = (consts.run, consts.minimum);
        let functions = integers.into_iter().map(host);
        quote! {
            impl ::rlx_kernels::IntegerFormat for #ident {
                const RUN: u32 = #run;
                const HAS_MINIMUM: bool = #minimum;
                #(#functions)*
            }
        }
    });
    let (tables, words): (Vec<_>, Vec<_>) = args.tables.iter().map(table).unzip();
    quote! {
        #(#attrs)*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct #ident;

        #[allow(clippy::all, clippy::pedantic, unused_parens, dead_code, elided_lifetimes_in_paths, trivial_numeric_casts)]
        const _: () = {
            trait Fields {
                #(#signatures;)*
            }
            impl Fields for ::rlx_kernels::Block<'_, #ident> {
                #(#signatures { #bodies })*
            }
            impl #ident {
                #(#own)*
                #(#tables)*
            }
            impl ::rlx_kernels::BlockFormat for #ident {
                const INFO: ::rlx_kernels::FormatInfo = ::rlx_kernels::FormatInfo {
                    name: #name,
                    ggml_type: #ggml,
                    elems: #elems,
                    bytes: #bytes,
                    file: #file,
                    line: #line,
                    decode: ::rlx_kernels::format::decode_blocks::<#ident>,
                };
                const ELEMS: u32 = #elems;
                const BYTES: u32 = #bytes;
                const TABLES: &'static [&'static [u32]] = &[#(#words),*];
                #(#functions)*
            }
            #integers
        };
    }
}

/// The accessor of a table, and its words. As on a GPU, an index past the end gives some word.
fn table(table: &TableArg) -> (TokenStream, TokenStream) {
    let TableArg { name, len, words } = table;
    let len = *len as usize;
    let accessor = quote! {
        fn #name(i: u32) -> u32 {
            static WORDS: [u32; #len] = #words;
            WORDS[i as usize % #len]
        }
    };
    (accessor, quote!(&#words))
}

/// Signature and body of the accessors of a field.
fn accessors(field: &Field) -> Vec<(TokenStream, TokenStream)> {
    let name = format_ident!("{}", field.name);
    let offset = field.offset;
    let one = |name: &syn::Ident, kind: FieldKind| {
        let load = format_ident!("load_{}", kind.name());
        let ty = format_ident!("{}", kind.ty().to_string());
        let size = kind.size();
        match field.count {
            None => (quote!(fn #name(&self) -> #ty), quote!(self.#load(#offset))),
            Some(_) => (
                quote!(fn #name(&self, i: u32) -> #ty),
                quote!(self.#load(#offset + #size * i)),
            ),
        }
    };
    let mut all = vec![one(&name, field.kind)];
    if field.count.is_some() && field.kind != FieldKind::U32 {
        all.push(one(&format_ident!("{}_u32", field.name), FieldKind::U32));
    }
    all
}
