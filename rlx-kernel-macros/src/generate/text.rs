//! Values as text. What every instance says much of becomes tokens in rustc's own lexer: that is
//! optimised, and this crate seldom.

use proc_macro2::TokenStream;

/// `__B("..")`, by the short names of [`info`](super::kernel).
pub fn text(text: &str) -> String {
    format!("__B({text:?})")
}

/// `__B(&[..])`
pub fn list<T>(all: &[T], one: impl Fn(&T) -> String) -> String {
    let mut list = String::from("__B(&[");
    for item in all {
        list.push_str(&one(item));
        list.push(',');
    }
    list.push_str("])");
    list
}

/// The tokens of a text.
///
/// # Errors
/// Where it is none of Rust's.
pub fn tokens(text: &str) -> syn::Result<TokenStream> {
    if !proc_macro::is_available() {
        return text.parse::<TokenStream>().map_err(syn::Error::from);
    }
    // proc_macro2 has a lexer of its own, and asks it first.
    let tokens = text.parse::<proc_macro::TokenStream>();
    let at = proc_macro2::Span::call_site();
    tokens
        .map(TokenStream::from)
        .map_err(|error| syn::Error::new(at, error))
}
