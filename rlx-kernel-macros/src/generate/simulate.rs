//! `kernel::simulate(..)`

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::instances::Typed;
use super::kernel::element;
use super::params::{launch_type, launch_value};
use crate::parse::kernel::Parameter;
use crate::paths;

/// The function that runs the kernel on its CPU twin: over slices where a launch takes buffers.
pub fn simulate(
    required: &TokenStream,
    signature: &[Parameter],
    has_params: bool,
    (typed, has_overrides): (&Typed<'_>, bool),
    extent_arg: &TokenStream,
    extent_pass: &TokenStream,
) -> TokenStream {
    let (mut args, mut names, mut lengths, mut windows, mut values) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut slices = 0_usize;
    for parameter in signature {
        match parameter {
            Parameter::Slice {
                name,
                elem,
                writable,
                ..
            } => {
                slices += 1;
                names.push(name);
                let mutable = writable.then(|| quote!(mut));
                let format = packed(elem);
                let elem = if format.is_some() {
                    quote!(u8)
                } else {
                    element(elem, typed)
                };
                args.push(quote!(#name: & #mutable [#elem]));
                if let Some(format) = format {
                    lengths.push(quote! {
                        let #name = ::rlx_kernels::simulate::Blocks::of::<#format>(#name);
                    });
                }
                let bytemuck = quote!(::rlx_kernels::__private::bytemuck);
                windows.push(if *writable {
                    quote!(::rlx_kernels::simulate::Window::Write(#bytemuck::cast_slice_mut(#name)))
                } else {
                    quote!(::rlx_kernels::simulate::Window::Read(#bytemuck::cast_slice(#name)))
                });
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
    // A kernel may have a parameter of that name.
    let mut options = format_ident!("options");
    while signature
        .iter()
        .any(|parameter| options == paths::name(parameter.name()))
    {
        options = format_ident!("{options}_");
    }
    let (generics, bounds, info) = (typed.launch_generics(), typed.launch_where(), typed.info());
    // Elements of the author's own types are bytes to the twin, where the kernel has not been refused:
    // the lifetime leaves the bound to be checked where the function is called.
    let own = signature.iter().filter_map(|parameter| match parameter {
        Parameter::Slice { elem, .. } if packed(elem).is_none() => {
            let is_plain = crate::parse::ty::plain(elem).is_some() && typed.element(elem).is_none();
            (!is_plain).then(|| element(elem, typed))
        }
        _ => None,
    });
    let pods: Vec<TokenStream> = own
        .map(|elem| quote!(for<'__element> #elem: ::rlx_kernels::__private::bytemuck::Pod))
        .collect();
    let bounds = match (bounds.is_empty(), pods.is_empty()) {
        (_, true) => bounds,
        (true, false) => quote!(where #(#pods),*),
        (false, false) => quote!(#bounds, #(#pods),*),
    };
    let params = has_params.then(|| quote!(Params::new(#(#values),*),));
    let result = quote!(::core::result::Result<::rlx_kernels::Report, ::rlx_kernels::SimError>);
    let docs = quote! {
        /// Runs the kernel on its CPU twin over slices of its own types, packed weights as their bytes, and
        /// writes its outputs. What is wrong with the kernel is in the report.
        ///
        /// # Errors
        /// [`SimError`](::rlx_kernels::SimError) where a requirement does not hold, the grid is too large, or the
        /// twin does not know something that the kernel does.
    };
    // A launch's own checks, over the lengths of slices.
    let checked = quote! {
        let checked = || -> ::core::result::Result<(), ::rlx_kernels::DispatchError> {
            #(#lengths)*
            #required
            Ok(())
        };
        checked()?;
    };
    let windows = quote!(&mut [#(#windows),*]);
    if !has_overrides {
        return quote! {
            #docs
            pub fn simulate<#generics>(
                #(#args,)*
                #extent_arg
                #options: &::rlx_kernels::SimOptions,
            ) -> #result #bounds {
                #checked
                let dispatch = dispatch(#info, [(); #slices], #params #extent_pass)?;
                ::rlx_kernels::simulate::windows_of(&dispatch, #windows, #options)
            }
        };
    }
    let arguments = typed.arguments();
    quote! {
        #docs
        pub fn simulate<#generics>(
            #(#args,)*
            #extent_arg
            #options: &::rlx_kernels::SimOptions,
        ) -> #result #bounds {
            simulate_with::<#arguments>(Overrides::default(), #(#names,)* #extent_pass #options)
        }

        /// The same, with values for the kernel's const parameters.
        ///
        /// # Errors
        /// As [`simulate`], and where the workgroup would be empty.
        pub fn simulate_with<#generics>(
            overrides: Overrides,
            #(#args,)*
            #extent_arg
            #options: &::rlx_kernels::SimOptions,
        ) -> #result #bounds {
            #checked
            let dispatch = dispatch_with(overrides, #info, [(); #slices], #params #extent_pass)?;
            ::rlx_kernels::simulate::windows_of(&dispatch, #windows, #options)
        }
    }
}

/// The format of packed weights.
fn packed(elem: &syn::Type) -> Option<&syn::Type> {
    let syn::Type::Path(path) = elem else {
        return None;
    };
    let last = path.path.segments.last()?;
    if last.ident == "Packed" {
        crate::parse::ty::argument(last)
    } else {
        None
    }
}
