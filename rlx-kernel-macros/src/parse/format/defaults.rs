//! The functions that follow from those that a format writes.

use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::quote;

/// Functions that formats have if they do not write their own: parsed once for all formats of an
/// expansion. (The next has tokens of its own.)
#[derive(Default)]
pub struct Defaults(Vec<(Kind, Vec<Rc<syn::ItemFn>>)>);

/// Whether the weights are integers, and whether a minimum is taken off.
type Kind = (bool, bool);

impl Defaults {
    /// The functions of such a format.
    ///
    /// # Errors
    /// What is no function.
    pub fn functions(
        &mut self,
        is_of_integers: bool,
        has_minimum: bool,
    ) -> syn::Result<&[Rc<syn::ItemFn>]> {
        let kind = (is_of_integers, has_minimum);
        let known = self.0.iter().position(|(known, _)| *known == kind);
        let at = known.unwrap_or(self.0.len());
        if known.is_none() {
            let all = tokens(kind).into_iter();
            let parsed = all.map(|tokens| syn::parse2(tokens).map(Rc::new));
            self.0.push((kind, parsed.collect::<syn::Result<_>>()?));
        }
        Ok(self.0.get(at).map_or(&[], |(_, functions)| functions))
    }
}

fn tokens((is_of_integers, has_minimum): Kind) -> Vec<TokenStream> {
    if is_of_integers {
        vec![
            integer_decode(has_minimum),
            integer_decode8(has_minimum),
            no_minimum(),
        ]
    } else {
        vec![single_decode8()]
    }
}

/// `- m` where a format has a minimum, and how it is known.
fn less(minimum: bool) -> (TokenStream, TokenStream) {
    if minimum {
        (quote!(-m), quote!(let m = Self::minimum(b, i);))
    } else {
        Default::default()
    }
}

/// A weight of integers.
fn integer_decode(minimum: bool) -> TokenStream {
    let (less, known) = less(minimum);
    quote! {
        fn decode(b: Block<Self>, i: u32) -> f32 {
            let q = (Self::quants(b, i / 4 * 4) << (24 - 8 * (i % 4))) as i32 >> 24;
            #known
            Self::scale(b, i) * q as f32 #less
        }
    }
}

/// Eight weights of integers.
fn integer_decode8(minimum: bool) -> TokenStream {
    let (less, known) = less(minimum);
    quote! {
        fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
            let d = Self::scale(b, i);
            #known
            [
                to_f32(unpack4x_i8(Self::quants(b, i))) * d #less,
                to_f32(unpack4x_i8(Self::quants(b, i + 4))) * d #less,
            ]
        }
    }
}

/// Nothing is taken off.
fn no_minimum() -> TokenStream {
    quote! {
        fn minimum(_b: Block<Self>, _i: u32) -> f32 {
            0.0
        }
    }
}

/// Eight weights one by one, for a format that has no faster way.
fn single_decode8() -> TokenStream {
    quote! {
        fn decode8(b: Block<Self>, i: u32) -> [Vec4<f32>; 2] {
            [
                vec4(Self::decode(b, i), Self::decode(b, i + 1), Self::decode(b, i + 2), Self::decode(b, i + 3)),
                vec4(Self::decode(b, i + 4), Self::decode(b, i + 5), Self::decode(b, i + 6), Self::decode(b, i + 7)),
            ]
        }
    }
}
