//! The table from IR spans to tokens.

pub mod ends;

use proc_macro2::{Span as TokenSpan, TokenStream, TokenTree};
use quote::ToTokens;
use rlx_kernel_ir::Span;
use rlx_kernel_ir::twin::Location;

/// Token ranges by IR span.
#[derive(Default)]
pub struct Spans {
    ranges: Vec<(TokenSpan, TokenSpan)>,
}

impl Spans {
    /// The span of everything in `node`.
    pub fn of(&mut self, node: &impl ToTokens) -> Span {
        let (first, last) = range(node.to_token_stream());
        self.between(first, last)
    }

    /// The span from one token to another.
    pub fn between(&mut self, first: TokenSpan, last: TokenSpan) -> Span {
        self.ranges.push((first, last));
        Span(self.ranges.len() as u32 - 1)
    }

    /// Where `span` begins.
    pub fn location(&self, span: Span) -> Location {
        let first = self.range(span).0;
        let start = first.start();
        Location {
            file: first.file(),
            line: start.line as u32,
            column: start.column as u32 + 1,
        }
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.ranges.len() as u32
    }

    /// The tokens at both ends of `span`; the macro's call site for a span of nowhere.
    pub fn range(&self, span: Span) -> (TokenSpan, TokenSpan) {
        let call_site = TokenSpan::call_site();
        self.ranges
            .get(span.0 as usize)
            .copied()
            .unwrap_or((call_site, call_site))
    }
}

/// The spans of the first and the last token.
pub fn range(tokens: TokenStream) -> (TokenSpan, TokenSpan) {
    let mut tokens = tokens.into_iter();
    let Some(first) = tokens.next() else {
        return (TokenSpan::call_site(), TokenSpan::call_site());
    };
    let last = tokens.last();
    let first_span = match &first {
        TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    };
    let last_span = match last.as_ref().unwrap_or(&first) {
        TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    };
    (first_span, last_span)
}
