//! `elementwise_ops!`

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use rlx_kernel_ir::{Diagnostic, Type, compile_functions, twin};
use syn::Token;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;

use crate::chain::{self, State};
use crate::parse::module::Items;
use crate::parse::{Sink, Target};
use crate::report;

struct Table {
    attrs: Vec<syn::Attribute>,
    vis: syn::Visibility,
    name: syn::Ident,
    paths: Vec<syn::Path>,
}

impl Parse for Table {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(syn::Attribute::parse_outer)?;
        let vis = input.parse()?;
        input.parse::<Token![static]>()?;
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let list;
        syn::bracketed!(list in input);
        let paths = Punctuated::<syn::Path, Token![,]>::parse_terminated(&list)?
            .into_iter()
            .collect();
        input.parse::<Token![;]>()?;
        Ok(Self {
            attrs,
            vis,
            name,
            paths,
        })
    }
}

/// Starts collecting the functions of the table.
pub fn table(input: &TokenStream) -> TokenStream {
    match syn::parse2::<Table>(input.clone()) {
        Ok(table) => chain::start(&table.paths, "__define_elementwise", input),
        Err(error) => report::syntax(&error),
    }
}

/// The end of the chain: the table.
pub fn finish(input: TokenStream) -> TokenStream {
    match try_finish(input) {
        Ok(tokens) => tokens,
        Err(error) => report::syntax(&error),
    }
}

fn try_finish(input: TokenStream) -> syn::Result<TokenStream> {
    let state: State = syn::parse2(input)?;
    let table: Table = syn::parse2(state.head.clone())?;
    let (resolved, entries) = state.resolve(&table.paths);
    let mut sink = Sink::default();
    let items = Items::new(&mut sink, &entries)?;
    let mut rows = Vec::new();
    let mut problems = std::mem::take(&mut sink.diagnostics);
    for (path, (_, id)) in table.paths.iter().zip(&resolved) {
        let function = match items.target(*id) {
            Some(Target::Item(item)) => items
                .module
                .function(*item)
                .map(|function| (*item, function)),
            _ => None,
        };
        let Some((item, function)) = function else {
            let span = sink.spans.of(path);
            problems.push(Diagnostic::new(
                span,
                "an elementwise operator is a `#[device]` function",
            ));
            continue;
        };
        if function.ret != Type::F32 || function.params.iter().any(|param| param.ty != Type::F32) {
            let span = sink.spans.of(path);
            problems.push(Diagnostic::new(
                span,
                "an elementwise operator takes `f32` operands and gives an `f32`",
            ));
            continue;
        }
        match compile_functions(&items.module, &[item]) {
            Ok(printed) => {
                let lowered = twin::lower_function(&items.module, item);
                let twin = lowered.encode(|span| sink.spans.location(span));
                let arity = function.params.len();
                rows.push(row(path, &function.name, arity, &printed, &twin));
            }
            Err(found) => problems.extend(found),
        }
    }
    let errors = report::diagnostics(&problems, &sink.spans, &entries);
    let Table {
        attrs, vis, name, ..
    } = table;
    Ok(quote! {
        #errors
        #(#attrs)*
        #vis static #name: &[::rlx_kernels::ElementwiseOp] = &[#(#rows),*];
    })
}

fn row(
    path: &syn::Path,
    name: &str,
    arity: usize,
    printed: &[(String, String)],
    twin: &[u8],
) -> TokenStream {
    let args: Vec<_> = (0..arity).map(|index| format_ident!("x{index}")).collect();
    let twin = Literal::byte_string(twin);
    let texts = printed.iter().map(|(name, text)| quote!((#name, #text)));
    quote! {
        ::rlx_kernels::ElementwiseOp {
            name: #name,
            arity: #arity,
            wgsl: &[#(#texts),*],
            twin: #twin,
            apply: |operands| match *operands {
                [#(#args),*] => #path(#(#args),*),
                _ => f32::NAN,
            },
        }
    }
}
