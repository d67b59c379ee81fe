//! `#[device] impl Type { .. }`

use quote::ToTokens;

/// The functions and consts of a device struct.
pub struct Methods {
    /// Documentation and other attributes.
    pub attrs: Vec<syn::Attribute>,
    /// The trait that it is of.
    pub of: Option<syn::Path>,
    /// The struct's name.
    pub ident: syn::Ident,
    /// Its functions.
    pub functions: Vec<syn::ItemFn>,
    /// Its consts.
    pub consts: Vec<syn::ItemConst>,
}

impl Methods {
    /// Takes an `impl` apart.
    ///
    /// # Errors
    /// What an `impl` for devices cannot be or hold.
    pub fn new(item: syn::ItemImpl) -> syn::Result<Self> {
        let of = item.trait_.as_ref().map(|(path, _)| path.clone());
        let is_format = |path: &syn::Path| {
            path.segments
                .last()
                .is_some_and(|last| last.ident == "BlockFormat")
        };
        if let Some(path) = of.as_ref().filter(|path| is_format(path)) {
            let message = "a format is declared by `#[format(..)] impl BlockFormat for Name`";
            return Err(syn::Error::new_spanned(path, message));
        }
        if let Some(param) = item.generics.params.first() {
            let message =
                "a device struct cannot be generic; write it for the types that its kernels use";
            return Err(syn::Error::new_spanned(param, message));
        }
        let ident = match &*item.self_ty {
            syn::Type::Path(path) => path.path.get_ident().cloned(),
            _ => None,
        };
        let Some(ident) = ident else {
            let message = "expected the name of a `#[device(impl)]` struct of this module";
            return Err(syn::Error::new_spanned(&item.self_ty, message));
        };
        let (mut functions, mut consts) = (Vec::new(), Vec::new());
        for member in item.items {
            match member {
                syn::ImplItem::Fn(function) => {
                    crate::parse::generics::parameters(&function.sig.generics)?;
                    functions.push(syn::ItemFn {
                        attrs: function.attrs,
                        vis: function.vis,
                        modifiers: function.modifiers,
                        sig: function.sig,
                        block: Box::new(function.block),
                    });
                }
                syn::ImplItem::Const(item) => consts.push(syn::parse2(item.to_token_stream())?),
                other => {
                    let message = "a device `impl` holds functions and consts";
                    return Err(syn::Error::new_spanned(other, message));
                }
            }
        }
        Ok(Self {
            attrs: item.attrs,
            of,
            ident,
            functions,
            consts,
        })
    }
}

/// The names of a struct's functions and consts in WGSL begin with the struct's own, in snake case.
pub fn prefix(name: &str) -> String {
    let mut out = String::new();
    let mut before_was_lower = false;
    for char in name.chars() {
        if char.is_uppercase() && before_was_lower {
            out.push('_');
        }
        before_was_lower = char.is_lowercase() || char.is_ascii_digit();
        out.extend(char.to_lowercase());
    }
    out
}
