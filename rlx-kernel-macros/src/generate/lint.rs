//! What lints have found, as rustc warnings at their tokens.
//!
//! A lint of ours is the use of a deprecated macro of the lint's name, whose note says what was
//! found. A lint that rustc has too is code of the same shape with the author's tokens, so that
//! rustc reports it by its own name and in its own words.

use proc_macro2::{Delimiter, Group, Span as TokenSpan, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use rlx_kernel_ir::lint::{Form, Found, Level};
use syn::visit::Visit;

use crate::chain::Entry;
use crate::parse::Sink;
use crate::parse::kernel::KernelArgs;
use crate::parse::requires::{Requirement, names};
use crate::{paths, report};

/// Warnings and errors for what was found in a function or in its helpers. What lies in a helper of another crate is
/// left out: its author was told of it.
pub fn lints(
    found: &[Found],
    sink: &Sink,
    helpers: &[Entry],
    function: Option<&syn::ItemFn>,
) -> TokenStream {
    let mut out = TokenStream::new();
    for one in found {
        let (first, last) = sink.spans.range(one.diagnostic.span);
        if report::foreign(first, helpers).is_some() {
            continue;
        }
        let (level, set) = sink.levels.of(one);
        let name = one.lint.name;
        match level {
            Level::Allow => {}
            Level::Deny => {
                let mut diagnostic = one.diagnostic.clone();
                let text = format!("`#[deny({name})]` is {{}}");
                diagnostic.notes.extend(set.map(|at| (at, text)));
                out.extend(report::diagnostics(&[diagnostic], &sink.spans, helpers));
            }
            Level::Warn => out.extend(warning(one, (first, last), sink, helpers, function)),
        }
    }
    out
}

/// Names that the host reads: in the extent, and in requirements.
pub fn read_by_host(args: &KernelArgs, requirements: &[Requirement]) -> Vec<String> {
    let mut read: Vec<String> = Vec::new();
    for requirement in requirements {
        read.extend(requirement.names.iter().cloned());
    }
    for extent in args.geometry.iter().flat_map(|geometry| &geometry.extents) {
        read.extend(names(extent));
    }
    read
}

/// What lints have found, without the params that the host alone `read`s.
pub fn of_kernel(
    found: &[Found],
    sink: &Sink,
    read: &[String],
    function: &syn::ItemFn,
) -> Vec<Found> {
    let is_read = |found: &Found| {
        let at = sink.spans.range(found.diagnostic.span).0.start();
        function.sig.inputs.iter().any(|input| match input {
            syn::FnArg::Typed(typed) => match &*typed.pat {
                syn::Pat::Ident(pat) => {
                    pat.ident.span().start() == at && read.contains(&paths::name(&pat.ident))
                }
                _ => false,
            },
            syn::FnArg::Receiver(_) => false,
        })
    };
    let found = found.iter();
    let found = found.filter(|found| found.lint.name != "unused_param" || !is_read(found));
    found.cloned().collect()
}

fn warning(
    found: &Found,
    (first, last): (TokenSpan, TokenSpan),
    sink: &Sink,
    helpers: &[Entry],
    function: Option<&syn::ItemFn>,
) -> TokenStream {
    let variable = || Variable::at((first, last), function?);
    let body = match found.form {
        Form::Own => {
            let name = format_ident!("{}", found.lint.name, span = last);
            let mut note = report::text(&found.diagnostic, &sink.spans, helpers);
            note.push_str("\nnote: `#[allow(");
            note.push_str(found.lint.name);
            note.push_str(")]` on the statement or the function allows it");
            let path = quote_spanned!(first=> rlx::);
            let call = quote_spanned!(last=> #name! {});
            return quote! {
                const _: () = {
                    #[allow(deprecated, unused_imports, dead_code)]
                    mod rlx {
                        #[deprecated(note = #note)]
                        macro_rules! #name { () => {} }
                        pub(super) use #name;
                    }
                    #path #call
                };
            };
        }
        Form::Unused => variable().map(|Variable { name, .. }| quote!(let #name = 0u8;)),
        Form::Assigned => variable().map(|Variable { name, .. }| quote!(let #name; #name = 0u8;)),
        Form::Mutable => variable().and_then(|Variable { name, mutable }| {
            let mutable = mutable?;
            Some(quote! {
                let #mutable #name = 0u8;
                let _ = #name;
            })
        }),
        Form::Unreachable => found.diagnostic.notes.first().map(|(cause, _)| {
            let (from, to) = sink.spans.range(*cause);
            let (leave, from_unit) = (quote_spanned!(from=> return), unit(to));
            let (begin, end) = (quote_spanned!(first=> let _ =), quote_spanned!(last=> ;));
            let last_unit = unit(last);
            quote!(#leave #from_unit; #begin #last_unit #end)
        }),
    };
    // rustc takes a const of the variable's type for one that may be meant: `()` has many.
    body.map_or_else(TokenStream::new, |body| {
        quote! {
            const _: () = {
                #[allow(dead_code, unused_assignments, clippy::all, clippy::pedantic)]
                mod rlx {
                    fn lint() { #body }
                }
            };
        }
    })
}

/// `()` at a place.
fn unit(span: TokenSpan) -> TokenTree {
    let mut unit = Group::new(Delimiter::Parenthesis, TokenStream::new());
    unit.set_span(span);
    TokenTree::Group(unit)
}

/// The tokens that declare a variable.
struct Variable {
    name: syn::Ident,
    mutable: Option<syn::Token![mut]>,
}

impl Variable {
    /// The first that `function` declares between two tokens; none for `_`.
    fn at((first, last): (TokenSpan, TokenSpan), function: &syn::ItemFn) -> Option<Self> {
        struct Finder {
            file: String,
            from: proc_macro2::LineColumn,
            to: proc_macro2::LineColumn,
            found: Option<Variable>,
        }

        impl Visit<'_> for Finder {
            fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
                let span = pat.ident.span();
                if self.found.is_none()
                    && (self.from..=self.to).contains(&span.start())
                    && span.file() == self.file
                {
                    self.found = Some(Variable {
                        name: pat.ident.clone(),
                        mutable: pat.mutability,
                    });
                }
            }
        }

        let mut finder = Finder {
            file: first.file(),
            from: first.start(),
            to: last.start(),
            found: None,
        };
        finder.visit_item_fn(function);
        finder.found
    }
}

#[cfg(test)]
mod tests;
