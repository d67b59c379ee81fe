//! The swizzles of the host's vectors: `v.xy()`, `v.zyx()`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// An `impl` with every swizzle of two to four components of a vector type.
pub fn swizzles(name: &syn::Ident) -> TokenStream {
    let text = name.to_string();
    let has = match text.as_str() {
        "Vec2" => &["x", "y"][..],
        "Vec3" => &["x", "y", "z"],
        "Vec4" => &["x", "y", "z", "w"],
        _ => {
            let message = "swizzles are of `Vec2`, `Vec3` and `Vec4`";
            return syn::Error::new(name.span(), message).to_compile_error();
        }
    };
    let mut all: Vec<Vec<&str>> = has.iter().map(|component| vec![*component]).collect();
    let mut methods = Vec::new();
    for len in 2..=4_usize {
        all = all
            .iter()
            .flat_map(|head| {
                has.iter().map(move |component| {
                    let mut longer = head.clone();
                    longer.push(component);
                    longer
                })
            })
            .collect();
        let vector = format_ident!("Vec{len}");
        let targets: Vec<_> = ["x", "y", "z", "w"][..len]
            .iter()
            .map(|name| format_ident!("{name}"))
            .collect();
        for components in &all {
            let method = format_ident!("{}", components.concat());
            let sources = components.iter().map(|name| format_ident!("{name}"));
            let doc = format!("Components `{}`.", components.join("`, `"));
            methods.push(quote! {
                #[doc = #doc]
                pub fn #method(self) -> #vector<T> {
                    #vector { #(#targets: self.#sources),* }
                }
            });
        }
    }
    quote!(impl<T: Copy> #name<T> { #(#methods)* })
}
