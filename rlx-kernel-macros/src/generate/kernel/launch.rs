//! Dispatches over typed buffers.

use proc_macro2::TokenStream;
use quote::quote;

use crate::generate::instances::Typed;
use crate::generate::params::{argument_type, launch_type, launch_value};
use crate::parse::kernel::Parameter;
use crate::paths;

/// `launch`, and `launch_with` where the kernel has overrides.
pub fn launch(
    required: &TokenStream,
    signature: &[Parameter],
    has_params: bool,
    (typed, has_overrides): (&Typed<'_>, bool),
    extent_arg: &TokenStream,
    extent_pass: &TokenStream,
) -> TokenStream {
    let (mut args, mut names, mut handles, mut values) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for parameter in signature {
        match parameter {
            Parameter::Slice {
                name,
                elem,
                writable,
                ..
            } => {
                let mutable = writable.then(|| quote!(mut));
                let elem = element(elem, typed);
                args.push(quote!(#name: & #mutable ::rlx_kernels::Buffer<#elem, H>));
                handles.push(quote!(#name.handle().clone()));
                names.push(name);
            }
            Parameter::Plain { name, host, .. } => {
                let ty = launch_type(host);
                args.push(quote!(#name: #ty));
                values.push(launch_value(host, &quote!(#name)));
                names.push(name);
            }
            Parameter::Refused { .. } => {}
        }
    }
    let (generics, bounds, info) = (typed.launch_generics(), typed.launch_where(), typed.info());
    let params = has_params.then(|| quote!(Params::new(#(#values),*),));
    let result =
        quote!(::core::result::Result<::rlx_kernels::Dispatch<H>, ::rlx_kernels::DispatchError>);
    let docs = quote! {
        /// A dispatch over buffers of the kernel's own types. Outputs are borrowed mutably, so a launch that
        /// would alias one does not compile.
        ///
        /// # Errors
        /// [`DispatchError`](::rlx_kernels::DispatchError) where a requirement does not hold or the grid is too large.
    };
    if !has_overrides {
        return quote! {
            #docs
            pub fn launch<#generics H: Clone>(#(#args,)* #extent_arg) -> #result #bounds {
                #required
                dispatch(#info, [#(#handles),*], #params #extent_pass)
            }
        };
    }
    let arguments = typed.arguments();
    quote! {
        #docs
        pub fn launch<#generics H: Clone>(#(#args,)* #extent_arg) -> #result #bounds {
            launch_with::<#arguments H>(Overrides::default(), #(#names,)* #extent_pass)
        }

        /// The same, with values for the kernel's const parameters.
        ///
        /// # Errors
        /// As [`launch`], and where the workgroup would be empty.
        pub fn launch_with<#generics H: Clone>(
            overrides: Overrides,
            #(#args,)*
            #extent_arg
        ) -> #result #bounds {
            #required
            dispatch_with(overrides, #info, [#(#handles),*], #params #extent_pass)
        }
    }
}

/// The element type of a buffer, by paths that hold in the kernel's module.
pub fn element(elem: &syn::Type, typed: &Typed<'_>) -> TokenStream {
    if let Some(parameter) = typed.element(elem) {
        return parameter;
    }
    if let Some(ty) = crate::parse::ty::plain(elem) {
        return argument_type(&ty);
    }
    if let syn::Type::Path(path) = elem
        && let Some(last) = path.path.segments.last()
        && last.ident == "Packed"
        && let Some(argument) = crate::parse::ty::argument(last)
    {
        return quote!(::rlx_kernels::Packed<#argument>);
    }
    // The host sees atomics as the integers that they hold.
    if let syn::Type::Path(path) = elem {
        match paths::text(&path.path).as_str() {
            "AtomicU32" => return quote!(u32),
            "AtomicI32" => return quote!(i32),
            _ => {}
        }
    }
    match elem {
        syn::Type::Path(path) => {
            let path = inside(&path.path);
            quote!(#path)
        }
        syn::Type::Array(array) => {
            let (elem, len) = (element(&array.elem, typed), &array.len);
            quote!([#elem; #len])
        }
        // Reported where the kernel is compiled.
        _ => quote!(()),
    }
}

/// `path` as the kernel's module sees it.
pub fn inside(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    let Some(first) = path.segments.first_mut() else {
        return path;
    };
    if first.ident == "self" && first.arguments.is_none() {
        first.ident = syn::Ident::new("super", first.ident.span());
    } else if first.ident == "super" {
        let outer = first.clone();
        path.segments.insert(0, outer);
    }
    path
}
