//! `#[device]`

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use rlx_kernel_ir::compile_functions;
use syn::parse::{Parse, ParseStream};

use super::host;
use crate::chain::{self, Entry, Kind, State};
use crate::parse::module::Items;
use crate::parse::{Sink, Target};
use crate::{paths, report};

/// A `#[device]` item.
enum Device {
    Function(syn::ItemFn),
    Const(syn::ItemConst),
}

impl Device {
    fn parse(tokens: TokenStream) -> syn::Result<Self> {
        match syn::parse2::<syn::Item>(tokens)? {
            syn::Item::Fn(function) => {
                if let Some(param) = function.sig.generics.params.first() {
                    return Err(syn::Error::new_spanned(
                        param,
                        "a device function cannot be generic yet; write it for the types that its kernels use",
                    ));
                }
                Ok(Self::Function(function))
            }
            syn::Item::Const(item) => Ok(Self::Const(item)),
            other => Err(syn::Error::new_spanned(
                other,
                "`#[device]` goes on a function or a const; a format is `#[format] impl BlockFormat`",
            )),
        }
    }

    fn name(&self) -> &syn::Ident {
        match self {
            Self::Function(function) => &function.sig.ident,
            Self::Const(item) => &item.ident,
        }
    }

    fn vis(&self) -> &syn::Visibility {
        match self {
            Self::Function(function) => &function.vis,
            Self::Const(item) => &item.vis,
        }
    }

    fn paths(&self) -> Vec<syn::Path> {
        match self {
            Self::Function(function) => paths::collect(function, &[]),
            Self::Const(item) => paths::collect_expr(&item.expr),
        }
    }
}

/// The attribute: keeps the item for rustc and starts collecting its helpers.
pub fn attribute(attribute: TokenStream, item: TokenStream) -> TokenStream {
    if !attribute.is_empty() {
        let error =
            syn::Error::new_spanned(attribute, "`#[device]` takes no arguments").to_compile_error();
        return quote!(#error #item);
    }
    let device = match Device::parse(item.clone()) {
        Ok(device) => device,
        Err(error) => {
            let error = report::syntax(&error);
            return quote!(#error #item);
        }
    };
    let name = device.name().to_string();
    if rlx_kernel_ir::Builtin::is_function(&name) {
        let message =
            format!("`{name}` is a function of the kernel language; kernels would call that one");
        let error = syn::Error::new(device.name().span(), message).to_compile_error();
        return quote!(#error #item);
    }
    let rust = match &device {
        Device::Function(function) if host::is_host(function) => {
            let function = host::function(function);
            quote!(#[allow(clippy::all, clippy::pedantic, unused_parens)] #function)
        }
        Device::Function(_) => TokenStream::new(),
        Device::Const(item) => quote!(#[allow(dead_code)] #item),
    };
    let chain = chain::start(&device.paths(), "__define_device", &item);
    quote!(#rust #chain)
}

/// What `#[format]` hands to [`finish`] besides a device item: its arguments in braces.
struct Definition {
    device: Option<Device>,
    format: Option<crate::parse::format::FormatItem>,
}

impl Parse for Definition {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(syn::token::Brace) {
            let args;
            syn::braced!(args in input);
            let format = crate::parse::format::FormatItem::new(args.parse()?, input.parse()?)?;
            return Ok(Self {
                device: None,
                format: Some(format),
            });
        }
        Ok(Self {
            device: Some(Device::parse(input.parse()?)?),
            format: None,
        })
    }
}

/// The end of the chain: checks the item, and defines the macro that carries it.
pub fn finish(input: TokenStream) -> TokenStream {
    match try_finish(input) {
        Ok(tokens) => tokens,
        Err(error) => report::syntax(&error),
    }
}

fn try_finish(input: TokenStream) -> syn::Result<TokenStream> {
    let state: State = syn::parse2(input)?;
    let head = state.head.clone();
    let definition: Definition = syn::parse2(head.clone())?;
    let public: syn::Visibility = syn::parse_quote!(pub);
    let (name, vis, paths, kind) = match (&definition.device, &definition.format) {
        (Some(device), _) => {
            let kind = if matches!(device, Device::Function(_)) {
                Kind::Function
            } else {
                Kind::Const
            };
            (
                device.name().clone(),
                device.vis().clone(),
                device.paths(),
                kind,
            )
        }
        (None, Some(format)) => (
            format.ident.clone(),
            public,
            super::format::paths(format),
            Kind::Format,
        ),
        (None, None) => return Ok(TokenStream::new()),
    };
    let (resolved, mut entries) = state.resolve(&paths);
    let (file, line) = chain::origin(&name);
    let id = chain::identify(&name, &head);
    let entry = Entry {
        id,
        name: name.to_string(),
        krate: chain::crate_name(),
        file,
        line,
        kind,
        paths: resolved,
        tokens: head,
    };
    entries.insert(0, entry);

    let mut sink = Sink::default();
    let items = Items::new(&mut sink, &entries)?;
    let roots: Vec<_> = match items.target(id) {
        Some(Target::Item(item)) => vec![*item],
        Some(Target::Format(format)) => format.functions.values().copied().collect(),
        None => Vec::new(),
    };
    let mut problems = sink.diagnostics;
    if problems.is_empty()
        && let Err(found) = compile_functions(&items.module, &roots)
    {
        problems = found;
    }
    let errors = report::diagnostics(&problems, &sink.spans, &entries);
    let definition = chain::define(&vis, &name, &entries);
    Ok(quote!(#errors #definition).into_token_stream())
}
