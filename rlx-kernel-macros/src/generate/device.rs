//! `#[device]`

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use rlx_kernel_ir::compile_functions;
use syn::parse::{Parse, ParseStream};

use super::{host, lint, methods};
use crate::chain::{self, Entry, Kind, State};
use crate::parse::format::{Defaults, FormatItem};
use crate::parse::generics;
use crate::parse::methods::Methods;
use crate::parse::module::Items;
use crate::parse::traits::DeviceTrait;
use crate::parse::{Sink, Target};
use crate::{paths, report};

/// A `#[device]` item.
enum Device {
    Function(syn::ItemFn),
    Const(syn::ItemConst),
    Struct(syn::ItemStruct),
    Impl(Methods),
    Trait(DeviceTrait),
}

impl Device {
    fn parse(tokens: TokenStream) -> syn::Result<Self> {
        match syn::parse2::<syn::Item>(tokens)? {
            syn::Item::Fn(function) => {
                generics::parameters(&function.sig.generics)?;
                refuse_qualifiers(&function.sig, "a device function")?;
                if let Some(receiver) = function.sig.receiver() {
                    return Err(syn::Error::new_spanned(
                        receiver,
                        "a function with a `self` is marked with its `impl`: write `#[device] impl Type { .. }`, and `#[device(impl)]` on the struct",
                    ));
                }
                Ok(Self::Function(function))
            }
            syn::Item::Const(item) => Ok(Self::Const(item)),
            syn::Item::Struct(item) => {
                if let Some(param) = item.generics.params.first() {
                    let message = "a device struct cannot be generic; write it for the types that its kernels use";
                    return Err(syn::Error::new_spanned(param, message));
                }
                let is_type_alone =
                    matches!(item.fields, syn::Fields::Unit) && !methods::marks(&item).is_empty();
                let is_named = matches!(item.fields, syn::Fields::Named(_));
                if !is_type_alone && (!is_named || item.fields.is_empty()) {
                    let message = "a device struct has named fields: `struct Name { x: f32 }`; one without any has functions: `#[device(impl Trait)] struct Name;`";
                    return Err(syn::Error::new_spanned(&item.ident, message));
                }
                Ok(Self::Struct(item))
            }
            syn::Item::Impl(item) => {
                let methods = Methods::new(item)?;
                for function in &methods.functions {
                    refuse_qualifiers(&function.sig, "a device function")?;
                }
                Ok(Self::Impl(methods))
            }
            syn::Item::Trait(item) => {
                let item = DeviceTrait::new(item)?;
                for function in &item.functions {
                    refuse_qualifiers(&function.sig, "a device function")?;
                }
                Ok(Self::Trait(item))
            }
            other => Err(syn::Error::new_spanned(
                other,
                "`#[device]` goes on a function, a const, a struct, its `impl` or a trait; a format is `#[format] impl BlockFormat`",
            )),
        }
    }

    fn name(&self) -> &syn::Ident {
        match self {
            Self::Function(function) => &function.sig.ident,
            Self::Const(item) => &item.ident,
            Self::Struct(item) => &item.ident,
            Self::Impl(methods) => &methods.ident,
            Self::Trait(item) => &item.item.ident,
        }
    }

    fn vis(&self) -> &syn::Visibility {
        const PRIVATE: &syn::Visibility = &syn::Visibility::Inherited;
        match self {
            Self::Function(function) => &function.vis,
            Self::Const(item) => &item.vis,
            Self::Struct(item) => &item.vis,
            Self::Impl(_) => PRIVATE,
            Self::Trait(item) => &item.item.vis,
        }
    }

    /// The paths in it, but for its own name, which the recursion check wants to see.
    fn paths(&self) -> Vec<syn::Path> {
        let mut all = match self {
            Self::Function(function) => {
                let generics = &function.sig.generics;
                let mut all = paths::collect(function, &generics::names(generics));
                for path in generics::traits(generics) {
                    let text = paths::text(&path);
                    if !all.iter().any(|known| paths::text(known) == text) {
                        all.push(path);
                    }
                }
                all
            }
            Self::Const(item) => paths::collect_expr(&item.expr),
            Self::Struct(item) => {
                let mut all = paths::collect_fields(item);
                let marks = methods::marks(item);
                all.extend(marks.iter().map(|mark| methods::path(&item.ident, mark)));
                all
            }
            Self::Impl(methods) => paths::collect_methods(methods),
            Self::Trait(item) => paths::collect_trait(item),
        };
        all.retain(|path| !path.is_ident(self.name()));
        all
    }
}

/// Refuses what changes how a function is called: a GPU calls in one way.
pub fn refuse_qualifiers(sig: &syn::Signature, what: &str) -> syn::Result<()> {
    let qualifiers = [
        sig.asyncness.as_ref().map(ToTokens::to_token_stream),
        Some(sig.safety.to_token_stream()).filter(|tokens| !tokens.is_empty()),
        sig.abi.as_ref().map(ToTokens::to_token_stream),
        sig.variadic.as_ref().map(ToTokens::to_token_stream),
    ];
    match qualifiers.into_iter().flatten().next() {
        Some(tokens) => {
            let message = format!("{what} is not `{tokens}`; remove it");
            Err(syn::Error::new_spanned(tokens, message))
        }
        None => Ok(()),
    }
}

/// The attribute: keeps the item for rustc and starts collecting its helpers.
pub fn attribute(attribute: &TokenStream, item: &TokenStream) -> TokenStream {
    if let Some(mark) = methods::marked(attribute, item) {
        return self::attribute(&TokenStream::new(), &mark);
    }
    if !attribute.is_empty() {
        let error =
            syn::Error::new_spanned(attribute, "`#[device]` takes no arguments, but for `#[device(impl)]` on a struct that has functions of its own").to_compile_error();
        return quote!(#error #item);
    }
    if let Some(error) = given_twice(item, "device") {
        return error;
    }
    let device = match Device::parse(item.clone()) {
        Ok(device) => device,
        Err(error) => {
            let error = report::syntax(&error);
            return quote!(#error #item);
        }
    };
    let name = paths::name(device.name());
    if !matches!(device, Device::Impl(_)) && rlx_kernel_ir::Builtin::is_function(&name) {
        let message =
            format!("`{name}` is a function of the kernel language; kernels would call that one");
        let error = syn::Error::new(device.name().span(), message).to_compile_error();
        return quote!(#error #item);
    }
    let paths = device.paths();
    if paths.is_empty() {
        return match define(State::alone(item.clone())) {
            Ok((is_right, definition)) => {
                let rust = rust_side(&device, is_right);
                quote!(#rust #definition)
            }
            Err(error) => {
                let error = report::syntax(&error);
                quote!(#error #item)
            }
        };
    }
    if let Some(error) = circle(&device, &paths, item) {
        return error;
    }
    let rust = rust_side(&device, true);
    let chain = chain::start(&paths, "__define_device", item);
    let unfinished = match &device {
        Device::Impl(item) => methods::unfinished(item),
        Device::Struct(item) => methods::unfinished_struct(item),
        _ => unfinished(device.name(), "kernels cannot use"),
    };
    quote!(#rust #chain #unfinished)
}

/// The error of an item that closes a circle of items that need one another. Its macro carries it
/// alone, so that the others find it.
fn circle(device: &Device, paths: &[syn::Path], item: &TokenStream) -> Option<TokenStream> {
    let name = device.name();
    let (file, line) = chain::origin(name);
    let (known, kind) = match device {
        Device::Impl(item) => (methods::macro_name(name, methods::of(item)), Kind::Impl),
        Device::Trait(_) => (name.clone(), Kind::Trait),
        Device::Function(_) => (name.clone(), Kind::Function),
        Device::Const(_) => (name.clone(), Kind::Const),
        Device::Struct(_) => (name.clone(), Kind::Struct),
    };
    let way = crate::cycle::closed_by(&file, &paths::name(&known), paths)?;
    let written = |name: &String| match name.strip_prefix(chain::IMPL) {
        Some(of) => format!("`impl {of}`"),
        None => format!("`{name}`"),
    };
    let mut names: Vec<_> = way.iter().map(written).collect();
    names.push(names.first()?.clone());
    let next = way.get(1)?;
    let leads = |path: &&syn::Path| crate::cycle::named(path).as_ref() == Some(next);
    let at = paths.iter().find(leads)?;
    let has_impl = way.iter().any(|name| name.starts_with(chain::IMPL));
    let (message, help) = if has_impl {
        (
            "these need one another, and an `impl` is known only as a whole",
            "move the function into the `impl`",
        )
    } else {
        (
            "these call one another, and a GPU has no call stack, so recursion is not possible",
            "write a loop",
        )
    };
    let message = format!("{}: {message}\nhelp: {help}", names.join(" → "));
    let error = syn::Error::new_spanned(at, message).to_compile_error();
    let rust = rust_side(device, true);
    let entry = Entry {
        id: chain::identify(name, item),
        name: paths::name(name),
        krate: chain::crate_name(),
        file,
        line,
        kind,
        paths: Vec::new(),
        tokens: item.clone(),
    };
    let definition = chain::define(device.vis(), &known, &[entry]);
    Some(quote!(#error #rust #definition))
}

/// The error of an item that carries the attribute `name` once more, with the item as it is then.
pub fn given_twice(item: &TokenStream, name: &str) -> Option<TokenStream> {
    let mut parsed = syn::parse2::<syn::Item>(item.clone()).ok()?;
    let attrs = match &mut parsed {
        syn::Item::Fn(item) => &mut item.attrs,
        syn::Item::Const(item) => &mut item.attrs,
        syn::Item::Struct(item) => &mut item.attrs,
        syn::Item::Impl(item) => &mut item.attrs,
        syn::Item::Trait(item) => &mut item.attrs,
        _ => return None,
    };
    let again = attrs.iter().find(|attr| attr.path().is_ident(name))?;
    let message = format!("`#[{name}]` is given twice; remove one");
    let error = syn::Error::new_spanned(again, message).to_compile_error();
    let mut first = true;
    // The one that is left does its work.
    attrs.retain(|attr| !attr.path().is_ident(name) || std::mem::take(&mut first));
    Some(quote!(#error #parsed))
}

/// What rustc compiles. An item that is known to be wrong keeps its signature alone, so that rustc
/// does not report it once more.
fn rust_side(device: &Device, is_right: bool) -> TokenStream {
    match device {
        Device::Function(function) if host::is_host(function) => {
            let function = if is_right {
                host::function(function)
            } else {
                host::signature(function)
            };
            quote! {
                #[allow(clippy::all, clippy::pedantic, unused_parens, dead_code, elided_lifetimes_in_paths, trivial_numeric_casts)]
                #function
            }
        }
        Device::Function(_) => TokenStream::new(),
        Device::Const(item) => quote!(#[allow(dead_code)] #item),
        Device::Struct(item) => methods::structure(item),
        Device::Impl(methods) => methods::rust_side(methods),
        Device::Trait(item) => {
            let item = &item.item;
            quote!(#[allow(dead_code)] #item)
        }
    }
}

/// What is said where the chain of `name` stops.
pub fn unfinished(name: &syn::Ident, what: &str) -> TokenStream {
    let help = "mark it `#[device]`, and import it by that path; functions cannot call one another in a circle";
    unfinished_unless(name, what, help)
}

/// The same, with what to do about it.
pub fn unfinished_unless(name: &syn::Ident, what: &str, help: &str) -> TokenStream {
    let message = format!(
        "{what} `{}`, because a path in it is no item that kernels know, and so rustc finds no macro by it",
        paths::name(name)
    );
    chain::Unfinished {
        name,
        at: name.span(),
        message,
        help,
        steps: &[step(name)],
        statics: &[],
    }
    .to_tokens()
}

pub fn step(name: &syn::Ident) -> syn::Ident {
    format_ident!("__RLX_DEVICE_{}", name)
}

/// What `#[format]` hands to [`finish`] besides a device item: its arguments in braces.
struct Definition {
    device: Option<Device>,
    format: Option<FormatItem>,
}

impl Definition {
    /// The function that rustc does not see.
    fn unseen(&self) -> Option<&syn::ItemFn> {
        match &self.device {
            Some(Device::Function(function)) if !host::is_host(function) => Some(function),
            _ => None,
        }
    }
}

impl Parse for Definition {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(syn::token::Brace) {
            let args;
            syn::braced!(args in input);
            let defaults = &mut Defaults::default();
            let format = FormatItem::new(args.parse()?, input.parse()?, defaults)?;
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
    match syn::parse2::<State>(input).and_then(define) {
        Ok((_, tokens)) => tokens,
        Err(error) => report::syntax(&error),
    }
}

/// Checks the item at the head of `state`, and defines the macro that carries it. Says whether the
/// item is right, too.
///
/// # Errors
/// What is no syntax at all; all other problems are part of the tokens.
pub fn define(state: State) -> syn::Result<(bool, TokenStream)> {
    let head = state.head.clone();
    let definition: Definition = syn::parse2(head.clone())?;
    let public: syn::Visibility = syn::parse_quote!(pub);
    let structure = match &definition.device {
        Some(Device::Struct(item)) => Some(item.clone()),
        _ => None,
    };
    let (name, vis, paths, kind) = match (&definition.device, &definition.format) {
        (Some(device), _) => {
            let kind = match device {
                Device::Function(_) => Kind::Function,
                Device::Const(_) => Kind::Const,
                Device::Struct(_) => Kind::Struct,
                Device::Impl(_) => Kind::Impl,
                Device::Trait(_) => Kind::Trait,
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
        (None, None) => return Ok((true, TokenStream::new())),
    };
    let (mut resolved, mut entries) = state.resolve(&paths);
    let (file, line) = chain::origin(&name);
    let id = chain::identify(&name, &head);
    if matches!(kind, Kind::Function | Kind::Format) {
        resolved.push((paths::name(&name), id));
    }
    let entry = Entry {
        id,
        name: paths::name(&name),
        krate: chain::crate_name(),
        file,
        line,
        kind,
        paths: resolved,
        tokens: head,
    };
    entries.insert(0, entry);

    if kind == Kind::Impl {
        // Checked with its struct.
        if let Some(Device::Impl(item)) = &definition.device {
            let macro_name = methods::macro_name(&name, methods::of(item));
            let definition = chain::define(&vis, &macro_name, &entries);
            let finished = chain::finished(&methods::step(item));
            return Ok((true, quote!(#definition #finished)));
        }
    }
    let mut sink = Sink::default();
    let items = Items::new(&mut sink, &entries)?;
    let unparsed = std::mem::take(&mut sink.diagnostics);
    let found = compile_functions(&items.module, &items.roots(id)).err();
    let problems = items.unreported(unparsed, found, &entries, Some(id));
    let errors = report::diagnostics(&problems, &sink.spans, &entries);
    let mut lints = TokenStream::new();
    if problems.is_empty() {
        let function = definition.unseen();
        let mut found = rlx_kernel_ir::lint::functions(&items.module, &items.roots(id));
        found.retain(|found| function.is_some() || !found.lint.of_rustc);
        lints = lint::lints(&found, &sink, &entries, function);
    }
    let definition = chain::define(&vis, &name, &entries);
    let finished = chain::finished(&step(&name));
    let shared = match (&structure, items.target(id)) {
        (Some(item), Some(Target::Struct(id, _))) => {
            let shared = super::shared::implementations(&items.module, *id, item);
            let uniform = super::shared::uniform(&items.module, *id, item);
            quote!(#shared #uniform)
        }
        _ => TokenStream::new(),
    };
    Ok((
        problems.is_empty(),
        quote!(#errors #lints #definition #shared #finished),
    ))
}
