//! Diagnostics as `compile_error!` at their tokens.

use std::fmt::Write as _;

use proc_macro2::{
    Delimiter, Group, Ident, Literal, Punct, Spacing, Span as TokenSpan, TokenStream, TokenTree,
};
use rlx_kernel_ir::Diagnostic;

use crate::chain::Entry;
use crate::spans::Spans;

/// One `compile_error!` a diagnostic. `helpers` are the items of other places: what is wrong in one
/// from another crate is named by file and line, since rustc shows it at the kernel's attribute.
pub fn diagnostics(diagnostics: &[Diagnostic], spans: &Spans, helpers: &[Entry]) -> TokenStream {
    let mut out = TokenStream::new();
    for diagnostic in diagnostics {
        let text = text(diagnostic, spans, helpers);
        out.extend(at(place(diagnostic, spans), &text));
    }
    out
}

/// The tokens at both ends of what a diagnostic underlines.
pub fn place(diagnostic: &Diagnostic, spans: &Spans) -> (TokenSpan, TokenSpan) {
    let (first, last) = spans.range(diagnostic.span);
    if diagnostic.last {
        (last, last)
    } else {
        (first, last)
    }
}

/// All that is said of a diagnostic.
pub fn text(diagnostic: &Diagnostic, spans: &Spans, helpers: &[Entry]) -> String {
    let first = spans.range(diagnostic.span).0;
    let mut message = diagnostic.message.clone();
    for (span, text) in &diagnostic.notes {
        message.push_str("\nnote: ");
        message.push_str(&note(text, spans.range(*span).0));
    }
    if let Some(help) = &diagnostic.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    if let Some(place) = foreign(first, helpers) {
        message.push_str("\nnote: ");
        message.push_str(&place);
    }
    if let Some((name, origin)) = diagnostic.rule.as_deref()
        && let Some(helper) = helpers.iter().find(|helper| {
            helper.krate != crate::chain::crate_name()
                && (&helper.file, helper.line) == (&origin.file, origin.line)
        })
    {
        let _ = write!(
            message,
            "\nnote: `{name}` is in the crate `{}`, at {}:{}",
            helper.krate, origin.file, origin.line
        );
    }
    message
}

/// syn's own errors.
pub fn syntax(error: &syn::Error) -> TokenStream {
    error.to_compile_error()
}

/// What is said of a place, with the place.
fn note(text: &str, span: TokenSpan) -> String {
    let start = span.start();
    let place = format!("at {}:{}:{}", span.file(), start.line, start.column + 1);
    if text.contains("{}") {
        text.replace("{}", &place)
    } else {
        format!("{text} {place}")
    }
}

/// Where a token of another crate's helper is.
pub fn foreign(span: TokenSpan, helpers: &[Entry]) -> Option<String> {
    let here = crate::chain::crate_name();
    let file = span.file();
    let helper = helpers.iter().filter(|helper| {
        helper.krate != here && helper.file == file && helper.line as usize <= span.start().line
    });
    let helper = helper.max_by_key(|helper| helper.line)?;
    let start = span.start();
    Some(format!(
        "this is in `{}` of the crate `{}`, at {file}:{}:{}",
        helper.name,
        helper.krate,
        start.line,
        start.column + 1
    ))
}

/// `compile_error!` from the token at `first` to the one at `last`.
pub fn at((first, last): (TokenSpan, TokenSpan), message: &str) -> TokenStream {
    let punct = |char, spacing| {
        let mut punct = Punct::new(char, spacing);
        punct.set_span(first);
        TokenTree::Punct(punct)
    };
    let mut literal = Literal::string(message);
    literal.set_span(last);
    let mut group = Group::new(Delimiter::Brace, TokenTree::Literal(literal).into());
    group.set_span(last);
    [
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        TokenTree::Ident(Ident::new("core", first)),
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        TokenTree::Ident(Ident::new("compile_error", first)),
        punct('!', Spacing::Alone),
        TokenTree::Group(group),
    ]
    .into_iter()
    .collect()
}
