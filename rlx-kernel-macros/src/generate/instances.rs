//! Instances of a generic kernel: a value for each parameter that has declared values.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::kernel::inside;
use crate::parse::kernel::{Instances, KernelArgs};
use crate::parse::{overrides, ty};
use crate::paths;

/// The parameters of one instance with their values, in the order of the attribute.
pub type Values = Vec<(syn::Ident, syn::Expr)>;

/// Checks that parameters and declared values belong together.
///
/// # Errors
/// A type parameter without values, or values without a parameter.
pub fn check(args: &KernelArgs, function: &syn::ItemFn) -> syn::Result<()> {
    let generics = &function.sig.generics;
    for param in generics.type_params() {
        if !args.instances.iter().any(|(name, _)| *name == param.ident) {
            let name = &param.ident;
            let message = format!(
                "this kernel is generic over `{name}`: name its instances, `#[kernel(.., instances({name} in [..]))]`"
            );
            return Err(syn::Error::new_spanned(param, message));
        }
    }
    let mut tables = 0;
    for (index, (name, values)) in args.instances.iter().enumerate() {
        let is_type = generics.type_params().any(|param| param.ident == *name);
        let constant = generics.const_params().find(|param| param.ident == *name);
        if !is_type && constant.is_none() {
            let message = format!("the kernel has no generic parameter `{name}`");
            return Err(syn::Error::new_spanned(name, message));
        }
        if args.instances[..index]
            .iter()
            .any(|(other, _)| other == name)
        {
            let message = format!("`{name}` has its values already");
            return Err(syn::Error::new_spanned(name, message));
        }
        match (values, constant) {
            (Instances::Table(path), Some(_)) => {
                let message = format!("list the values: `{name} in [1, 2, 4]`");
                return Err(syn::Error::new_spanned(path, message));
            }
            (Instances::Table(path), None) => {
                tables += 1;
                if tables > 1 {
                    let message = "one parameter takes its values from a table; list the others";
                    return Err(syn::Error::new_spanned(path, message));
                }
            }
            (Instances::Listed(values), Some(param)) => {
                let scalar = match &param.ty {
                    syn::Type::Path(path) => ty::scalar(&paths::text(&path.path)),
                    _ => None,
                };
                let wrong = values.iter().find(|value| {
                    scalar.is_some_and(|scalar| overrides::value(value, scalar).is_none())
                });
                if let Some(value) = wrong {
                    let ty = param.ty.to_token_stream();
                    let message = format!("a value of `{name}` is a literal of `{ty}`");
                    return Err(syn::Error::new_spanned(value, message));
                }
            }
            (Instances::Listed(values), None) => {
                let is_path = |value: &&syn::Expr| !matches!(value, syn::Expr::Path(_));
                if let Some(value) = values.iter().find(is_path) {
                    let message = format!("`{name}` stands for types: write the name of one");
                    return Err(syn::Error::new_spanned(value, message));
                }
            }
        }
    }
    Ok(())
}

/// The table that a parameter takes its values from.
pub fn table(args: &KernelArgs) -> Option<&syn::Path> {
    args.instances.iter().find_map(|(_, values)| match values {
        Instances::Table(path) => Some(path),
        Instances::Listed(_) => None,
    })
}

/// Every combination of values, of which `members` are those of the table.
pub fn combinations(args: &KernelArgs, members: &[syn::Path]) -> Vec<Values> {
    let mut all: Vec<Values> = vec![Vec::new()];
    for (name, values) in &args.instances {
        let values: Vec<syn::Expr> = match values {
            Instances::Listed(values) => values.clone(),
            Instances::Table(_) => members.iter().map(|path| as_expr(path.clone())).collect(),
        };
        let extended = all.iter().flat_map(|known| {
            values.iter().map(|value| {
                let mut known = known.clone();
                known.push((name.clone(), value.clone()));
                known
            })
        });
        all = extended.collect();
    }
    all
}

fn as_expr(path: syn::Path) -> syn::Expr {
    syn::Expr::Path(syn::ExprPath {
        attrs: Vec::new(),
        qself: None,
        path,
    })
}

/// The types of instances that a chain has to fetch, each once.
pub fn fetched<'v>(instances: impl IntoIterator<Item = &'v Values>) -> Vec<syn::Path> {
    let (mut all, mut known) = (Vec::new(), BTreeSet::new());
    for (_, value) in instances.into_iter().flatten() {
        let syn::Expr::Path(value) = value else {
            continue;
        };
        let text = paths::text(&value.path);
        if ty::scalar(&text).is_none() && known.insert(text) {
            all.push(value.path.clone());
        }
    }
    all
}

/// How the host names an instance by its types and numbers.
pub struct Typed<'a> {
    function: &'a syn::ItemFn,
    declared: Vec<&'a syn::GenericParam>,
}

impl<'a> Typed<'a> {
    /// The declared parameters of `function`.
    pub fn new(args: &KernelArgs, function: &'a syn::ItemFn) -> Self {
        let is_declared = |param: &&syn::GenericParam| {
            let name = match param {
                syn::GenericParam::Type(param) => &param.ident,
                syn::GenericParam::Const(param) => &param.ident,
                syn::GenericParam::Lifetime(_) => return false,
            };
            args.instances.iter().any(|(declared, _)| declared == name)
        };
        Self {
            function,
            declared: function
                .sig
                .generics
                .params
                .iter()
                .filter(is_declared)
                .collect(),
        }
    }

    /// Whether there are none: the kernel is one instance.
    pub fn is_plain(&self) -> bool {
        self.declared.is_empty()
    }

    /// The type parameters, as a tuple where there are several or none.
    fn subject(&self) -> TokenStream {
        let types: Vec<_> = self.types().map(|param| &param.ident).collect();
        match types.as_slice() {
            [one] => quote!(#one),
            all => quote!((#(#all),*)),
        }
    }

    fn types(&self) -> impl Iterator<Item = &'a syn::TypeParam> {
        self.function.sig.generics.type_params()
    }

    /// Const parameters with declared values: `const ROWS: u32`, and `ROWS`.
    fn consts(&self) -> (Vec<TokenStream>, Vec<&'a syn::Ident>) {
        let consts = self.declared.iter().filter_map(|param| match param {
            syn::GenericParam::Const(param) => {
                let (name, ty) = (&param.ident, &param.ty);
                Some((quote!(const #name: #ty), name))
            }
            _ => None,
        });
        consts.unzip()
    }

    /// The trait that leads from types and numbers to an instance.
    pub fn to_trait(&self) -> TokenStream {
        let (consts, _) = self.consts();
        let types: Vec<_> = self.types().collect();
        let bound = if let [one] = types.as_slice() {
            bound(one)
        } else {
            quote!(Sized)
        };
        quote! {
            /// What the kernel is compiled for.
            pub trait Instance<#(#consts),*>: #bound {
                /// The compiled kernel.
                fn info() -> &'static ::rlx_kernels::KernelInfo;
            }
        }
    }

    /// The generic parameters of a launch.
    pub fn launch_generics(&self) -> TokenStream {
        let several = self.types().count() > 1;
        let (_, names) = self.consts();
        let params = self.declared.iter().map(|param| match param {
            syn::GenericParam::Type(param) => {
                let name = &param.ident;
                let bound = bound(param);
                if several {
                    quote!(#name: #bound,)
                } else {
                    quote!(#name: Instance<#(#names),*>,)
                }
            }
            syn::GenericParam::Const(param) => {
                let (name, ty) = (&param.ident, &param.ty);
                quote!(const #name: #ty,)
            }
            syn::GenericParam::Lifetime(_) => TokenStream::new(),
        });
        quote!(#(#params)*)
    }

    /// What must hold of them besides their bounds.
    pub fn launch_where(&self) -> TokenStream {
        if self.is_plain() || self.types().count() == 1 {
            return TokenStream::new();
        }
        let (subject, (_, names)) = (self.subject(), self.consts());
        quote!(where #subject: Instance<#(#names),*>)
    }

    /// The arguments that pass the parameters of a launch on.
    pub fn arguments(&self) -> TokenStream {
        let names = self.declared.iter().map(|param| match param {
            syn::GenericParam::Type(param) => &param.ident,
            syn::GenericParam::Const(param) => &param.ident,
            syn::GenericParam::Lifetime(param) => &param.lifetime.ident,
        });
        quote!(#(#names,)*)
    }

    /// The type of a slice's elements, where it is a type parameter or a vector of one.
    pub fn element(&self, elem: &syn::Type) -> Option<TokenStream> {
        let syn::Type::Path(path) = elem else {
            return None;
        };
        let is_parameter = |name: &syn::Ident| self.types().any(|param| param.ident == *name);
        if let Some(name) = path.path.get_ident().filter(|name| is_parameter(name)) {
            return Some(quote!(#name));
        }
        let last = path.path.segments.last()?;
        match ty::argument(last)? {
            syn::Type::Path(inner) if inner.path.get_ident().is_some_and(is_parameter) => {
                let vector = &last.ident;
                let is_vector = ["Vec2", "Vec3", "Vec4"].iter().any(|name| vector == name);
                is_vector.then(|| quote!(::rlx_kernels::vector::#vector<#inner>))
            }
            _ => None,
        }
    }

    /// The instance that they name.
    pub fn info(&self) -> TokenStream {
        if self.is_plain() {
            return quote!(info());
        }
        let (subject, (_, names)) = (self.subject(), self.consts());
        quote!(<#subject as Instance<#(#names),*>>::info())
    }

    /// What leads from `values` to the static that holds their instance.
    pub fn implementation(&self, values: &Values, target: &syn::Ident) -> TokenStream {
        if self.is_plain() {
            return TokenStream::new();
        }
        let name = &self.function.sig.ident;
        let value = |name: &syn::Ident| {
            let value = values.iter().find(|(param, _)| param == name);
            value.map(|(_, value)| value.to_token_stream())
        };
        let types: Vec<_> = self.types().map(|param| value(&param.ident)).collect();
        let subject = match types.as_slice() {
            [one] => quote!(#one),
            all => quote!((#(#all),*)),
        };
        let (_, names) = self.consts();
        let numbers = names.iter().map(|name| {
            let value = value(name);
            quote!({ #value })
        });
        quote! {
            impl #name::Instance<#(#numbers),*> for #subject {
                fn info() -> &'static ::rlx_kernels::KernelInfo {
                    &#target
                }
            }
        }
    }
}

/// The host's bound of a type parameter.
fn bound(param: &syn::TypeParam) -> TokenStream {
    let mut bounds = param.bounds.iter().filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => Some(&bound.path),
        _ => None,
    });
    let Some(bound) = bounds.next() else {
        return quote!(::rlx_kernels::BlockFormat);
    };
    match bound
        .segments
        .last()
        .map(|last| last.ident.to_string())
        .as_deref()
    {
        Some("Float") => quote!(::rlx_kernels::number::Float),
        Some("BlockFormat") => quote!(::rlx_kernels::BlockFormat),
        Some("IntegerFormat") => quote!(::rlx_kernels::IntegerFormat),
        _ => inside(bound).to_token_stream(),
    }
}
