//! How helpers reach a kernel.
//!
//! Every `#[device]` item and format `name` also defines a macro that is imported by the same path:
//! `name! { @rlx [next..]* finish { state } }` adds the item's closure (itself and all that it
//! calls, each an [`Entry`]) to `state` and hands over to the next path, the last one to the proc
//! macro `finish`. Each item has collected its own helpers when it was defined, so no path is ever
//! resolved away from where it was written.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{Token, braced, bracketed};

/// What an entry's tokens are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A function.
    Function,
    /// A const.
    Const,
    /// A struct.
    Struct,
    /// An `impl` of a struct.
    Impl,
    /// A trait.
    Trait,
    /// A format: its attribute's tokens in braces, then its `impl`.
    Format,
}

/// An item in a closure.
#[derive(Clone)]
pub struct Entry {
    /// Identifies the item among all crates.
    pub id: u64,
    /// The author's name.
    pub name: String,
    /// The crate that defines it.
    pub krate: String,
    /// The file that defines it.
    pub file: String,
    /// The line of its name.
    pub line: u32,
    /// What it is.
    pub kind: Kind,
    /// The items behind the paths in its body.
    pub paths: Vec<(String, u64)>,
    /// Its tokens.
    pub tokens: TokenStream,
}

/// What a chain hands to its end.
pub struct State {
    /// What the beginning of the chain put in.
    pub head: TokenStream,
    /// One closure a path, in the order of the paths; the first entry of each is the item itself.
    pub closures: Vec<Vec<Entry>>,
}

/// What the macro of a struct's `impl` is named, before the struct's name.
pub const IMPL: &str = "__rlx_impl_";

/// The name of the crate being compiled.
pub fn crate_name() -> String {
    std::env::var("CARGO_CRATE_NAME").unwrap_or_default()
}

/// A number for an item: of its tokens and its place.
pub fn identify(name: &Ident, tokens: &TokenStream) -> u64 {
    let span = name.span();
    let start = span.start();
    let text = format!(
        "{}|{}|{}|{}|{tokens}",
        crate_name(),
        span.file(),
        start.line,
        start.column
    );
    fnv1a(text.as_bytes())
}

/// FNV-1a, 64 bits.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Starts a chain over `paths` that ends in `finish! { { head } { closure } .. }`.
pub fn start(paths: &[syn::Path], finish: &str, head: &TokenStream) -> TokenStream {
    let finish = format_ident!("{finish}");
    let Some((first, rest)) = paths.split_first() else {
        return quote! { ::rlx_kernels::__private::#finish! { { #head } } };
    };
    quote! { #first! { @rlx [#([#rest])*] #finish { { #head } } } }
}

/// The macro of an item whose closure is `entries`, the item itself first.
pub fn define(vis: &syn::Visibility, name: &Ident, entries: &[Entry]) -> TokenStream {
    let id = entries.first().map_or(0, |entry| entry.id);
    let hidden = format_ident!("__rlx_{}_{}", name, format!("{id:016x}"));
    let closure: TokenStream = entries.iter().map(Entry::to_tokens).collect();
    quote! {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! #hidden {
            (@rlx [] $finish:ident { $($state:tt)* }) => {
                ::rlx_kernels::__private::$finish! { $($state)* { #closure } }
            };
            (@rlx [[$($next:tt)*] $($rest:tt)*] $finish:ident { $($state:tt)* }) => {
                $($next)* ! { @rlx [$($rest)*] $finish { $($state)* { #closure } } }
            };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use #hidden as #name;
    }
}

/// Chains that stop where a path in them is no macro. rustc reports that path; this says what to
/// do about it, and stands in for what the chains would have defined.
pub struct Unfinished<'a> {
    /// The item that starts the chains.
    pub name: &'a Ident,
    /// Where that is said.
    pub at: proc_macro2::Span,
    /// What an unfinished chain means.
    pub message: String,
    /// What to do.
    pub help: &'a str,
    /// One name a chain, which its end gives to [`finished`].
    pub steps: &'a [Ident],
    /// The statics of kernels that their ends define.
    pub statics: &'a [Ident],
}

impl Unfinished<'_> {
    /// What stands in for the ends of the chains, and the check that they were reached: names of a
    /// glob import give way to those that the ends define.
    pub fn to_tokens(&self) -> TokenStream {
        let span = self.at;
        let module = format_ident!("__rlx_unfinished_{}", self.name);
        let flags: Vec<_> = self.steps.iter().map(flag).collect();
        let statics = self.statics;
        let message = format!("{}\nhelp: {}", self.message, self.help);
        // The text of an `assert!` is a format.
        let message = message.replace('{', "{{").replace('}', "}}");
        let check = quote_spanned! {span=>
            ::core::assert!(#(#flags)&&*, #message)
        };
        quote! {
            #[doc(hidden)]
            #[allow(dead_code, non_upper_case_globals, non_snake_case)]
            mod #module {
                #(pub static #statics: ::rlx_kernels::KernelInfo = ::rlx_kernels::KernelInfo::BROKEN;)*
                #(pub const #flags: bool = false;)*
            }
            #[doc(hidden)]
            #[allow(unused_imports)]
            use #module::*;
            const _: () = #check;
        }
    }
}

/// What the end of the chain `step` defines.
pub fn finished(step: &Ident) -> TokenStream {
    let flag = flag(step);
    quote! {
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        const #flag: bool = true;
    }
}

fn flag(step: &Ident) -> Ident {
    format_ident!("{step}_FINISHED")
}

impl Entry {
    /// It as it travels.
    pub fn to_tokens(&self) -> TokenStream {
        let Self {
            id,
            name,
            krate,
            file,
            line,
            kind,
            paths,
            tokens,
        } = self;
        let kind = match kind {
            Kind::Function => quote!(function),
            Kind::Const => quote!(constant),
            Kind::Struct => quote!(structure),
            Kind::Impl => quote!(methods),
            Kind::Trait => quote!(contract),
            Kind::Format => quote!(format),
        };
        let (texts, ids): (Vec<_>, Vec<_>) = paths.iter().cloned().unzip();
        quote! { { #id #name #krate #file #line #kind [#(#texts => #ids)*] { #tokens } } }
    }
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let body;
        braced!(body in input);
        let number = |input: ParseStream<'_>| input.parse::<syn::LitInt>();
        let text = |input: ParseStream<'_>| input.parse::<syn::LitStr>().map(|text| text.value());
        let id = number(&body)?.base10_parse()?;
        let (name, krate, file) = (text(&body)?, text(&body)?, text(&body)?);
        let line = number(&body)?.base10_parse()?;
        let kind: Ident = body.parse()?;
        let kind = match kind.to_string().as_str() {
            "function" => Kind::Function,
            "constant" => Kind::Const,
            "structure" => Kind::Struct,
            "methods" => Kind::Impl,
            "contract" => Kind::Trait,
            _ => Kind::Format,
        };
        let list;
        bracketed!(list in body);
        let mut paths = Vec::new();
        while !list.is_empty() {
            let path = text(&list)?;
            list.parse::<Token![=>]>()?;
            paths.push((path, number(&list)?.base10_parse()?));
        }
        let tokens;
        braced!(tokens in body);
        Ok(Self {
            id,
            name,
            krate,
            file,
            line,
            kind,
            paths,
            tokens: tokens.parse()?,
        })
    }
}

impl Parse for State {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let head;
        braced!(head in input);
        let head = head.parse()?;
        let mut closures = Vec::new();
        while !input.is_empty() {
            let body;
            braced!(body in input);
            let mut entries = Vec::new();
            while !body.is_empty() {
                entries.push(body.parse()?);
            }
            closures.push(entries);
        }
        Ok(Self { head, closures })
    }
}

impl State {
    /// The end of a chain without paths.
    pub fn alone(head: TokenStream) -> Self {
        Self {
            head,
            closures: Vec::new(),
        }
    }

    /// The item behind each of `paths`, in order, and all entries, each once.
    pub fn resolve(self, paths: &[syn::Path]) -> (Vec<(String, u64)>, Vec<Entry>) {
        let ids = self
            .closures
            .iter()
            .map(|closure| closure.first().map_or(0, |entry| entry.id));
        let named = paths.iter().map(crate::paths::text).zip(ids).collect();
        let mut entries: Vec<Entry> = Vec::new();
        for entry in self.closures.into_iter().flatten() {
            if !entries.iter().any(|known| known.id == entry.id) {
                entries.push(entry);
            }
        }
        (named, entries)
    }
}

/// The file and line of a name.
pub fn origin(name: &Ident) -> (String, u32) {
    (name.span().file(), name.span().start().line as u32)
}
