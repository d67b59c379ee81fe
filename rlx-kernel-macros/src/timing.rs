//! How long each step of an expansion takes: printed with the feature `timings`, which
//! `cargo xtask bench macros` turns on.

use proc_macro2::TokenStream;

/// Does `step` on `item`.
#[cfg(not(feature = "timings"))]
pub fn measured(
    _: &str,
    item: &TokenStream,
    step: impl FnOnce(&TokenStream) -> TokenStream,
) -> TokenStream {
    step(item)
}

/// Does `step` on `item`, and prints its name, the item's and the nanoseconds that it took.
#[cfg(feature = "timings")]
pub fn measured(
    name: &str,
    item: &TokenStream,
    step: impl FnOnce(&TokenStream) -> TokenStream,
) -> TokenStream {
    let start = std::time::Instant::now();
    let output = step(item);
    let nanoseconds = start.elapsed().as_nanos();
    let item = function(item).unwrap_or_default();
    println!("rlx-timing {name} {item} {nanoseconds}");
    output
}

/// The name after the first `fn`, at any depth.
#[cfg(feature = "timings")]
fn function(tokens: &TokenStream) -> Option<String> {
    let mut tokens = tokens.clone().into_iter();
    while let Some(token) = tokens.next() {
        match token {
            proc_macro2::TokenTree::Ident(word) if word == "fn" => {
                return tokens.next().map(|name| name.to_string());
            }
            proc_macro2::TokenTree::Group(group) => {
                if let Some(name) = function(&group.stream()) {
                    return Some(name);
                }
            }
            _ => {}
        }
    }
    None
}
