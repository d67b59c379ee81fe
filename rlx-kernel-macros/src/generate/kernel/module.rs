//! The host side of a kernel: params, dispatch, launch.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use rlx_kernel_ir::Scalar;

use super::launch::launch;
use crate::generate::instances::Typed;
use crate::generate::params::Params;
use crate::generate::requires::{self, Scope};
use crate::generate::{overrides, simulate};
use crate::parse::Sink;
use crate::parse::kernel::{self, KernelArgs, Parameter};
use crate::parse::level::rustc_levels;
use crate::parse::requires::requirements;
use crate::paths;

/// The module of a kernel whose instances are `targets`.
pub fn module(args: &KernelArgs, function: &syn::ItemFn, targets: &[syn::Ident]) -> TokenStream {
    let typed = Typed::new(args, function);
    let overrides = overrides::of(args, function);
    let overrides_struct = overrides::to_rust(&overrides);
    let (name, vis) = (&function.sig.ident, &function.vis);
    let docs = function
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("doc"));
    let levels = rustc_levels(&function.attrs);
    // Problems of the signature are reported where the kernel is compiled.
    let signature = kernel::signature(&mut Sink::default(), function);
    let params = Params::new(signature.iter().filter_map(|parameter| match parameter {
        Parameter::Plain { name, host, .. } => Some((name.clone(), host.clone())),
        Parameter::Slice { .. } | Parameter::Refused { .. } => None,
    }));
    let params_struct = params.to_rust();
    let has_params = !params.fields.is_empty();
    let slices = signature
        .iter()
        .filter(|parameter| matches!(parameter, Parameter::Slice { .. }))
        .count();

    let params_arg = has_params.then(|| quote!(params: Params,));
    let bytes = if has_params {
        quote!(::rlx_kernels::__private::bytemuck::bytes_of(&params))
    } else {
        quote!(&[])
    };
    let (extent_arg, extent, extent_pass) = extent(args, function, &params, &signature);
    let find = if typed.is_plain() {
        let target = &targets[0];
        quote! {
            /// The compiled kernel.
            pub fn info() -> &'static ::rlx_kernels::KernelInfo {
                &super::#target
            }
        }
    } else {
        let to_trait = typed.to_trait();
        quote! {
            /// The instance of that name, such as `Q4_0`.
            pub fn instance(name: &str) -> Option<&'static ::rlx_kernels::KernelInfo> {
                instances().iter().copied().find(|kernel| kernel.instance == name)
            }

            #to_trait
        }
    };
    let requirements = requirements(function).unwrap_or_default();
    let readers = overrides::readers(args, function, true, "u128");
    let required = requires::checks(&requirements, &signature, Scope::Dispatch, &readers);
    let kernel_name = paths::name(name);
    let readers = overrides::readers(args, function, false, "u128");
    let launch_required = requires::checks(&requirements, &signature, Scope::Launch, &readers);
    let launch = launch(
        &launch_required,
        &signature,
        has_params,
        (&typed, !overrides.is_empty()),
        &extent_arg,
        &extent_pass,
    );
    let check = quote! {
        if !instances().iter().any(|instance| ::core::ptr::eq(*instance, kernel)) {
            return Err(::rlx_kernels::DispatchError::Instance {
                kernel: KERNEL.into(),
                instance: kernel.label(),
            });
        }
        #required
        let extent = #extent;
    };
    let result =
        quote!(::core::result::Result<::rlx_kernels::Dispatch<H>, ::rlx_kernels::DispatchError>);
    let dispatch = if overrides.is_empty() {
        quote! {
            /// A dispatch of `kernel`, an instance of this kernel, over bindings in the order of its slices.
            ///
            /// # Errors
            /// [`DispatchError`](::rlx_kernels::DispatchError) where `kernel` is of another kernel, or the grid is too large.
            pub fn dispatch<H>(
                kernel: &'static ::rlx_kernels::KernelInfo,
                bindings: [H; #slices],
                #params_arg
                #extent_arg
            ) -> #result {
                #check
                ::rlx_kernels::Dispatch::new(::rlx_kernels::KernelRef::Static(kernel), bindings.into(), #bytes, extent)
            }
        }
    } else {
        let params_pass = has_params.then(|| quote!(params,));
        quote! {
            /// A dispatch of `kernel`, an instance of this kernel, over bindings in the order of its slices.
            ///
            /// # Errors
            /// [`DispatchError`](::rlx_kernels::DispatchError) where `kernel` is of another kernel, or the grid is too large.
            pub fn dispatch<H>(
                kernel: &'static ::rlx_kernels::KernelInfo,
                bindings: [H; #slices],
                #params_arg
                #extent_arg
            ) -> #result {
                dispatch_with(Overrides::default(), kernel, bindings, #params_pass #extent_pass)
            }

            /// The same, with values for the kernel's const parameters.
            ///
            /// # Errors
            /// As [`dispatch`], and where the workgroup would be empty.
            pub fn dispatch_with<H>(
                overrides: Overrides,
                kernel: &'static ::rlx_kernels::KernelInfo,
                bindings: [H; #slices],
                #params_arg
                #extent_arg
            ) -> #result {
                #check
                ::rlx_kernels::Dispatch::with_overrides(
                    ::rlx_kernels::KernelRef::Static(kernel),
                    overrides.values(),
                    bindings.into(),
                    #bytes,
                    extent,
                )
            }
        }
    };
    let simulate = simulate::simulate(
        &launch_required,
        &signature,
        has_params,
        (&typed, !overrides.is_empty()),
        &extent_arg,
        &extent_pass,
    );
    let about = format!("The compiled kernel `{name}` and how to run it.");
    quote! {
        #(#docs)*
        #[doc = ""]
        #[doc = #about]
        #(#levels)*
        #[allow(clippy::all, clippy::pedantic, unused_imports, unused_variables)]
        #vis mod #name {
            use super::*;

            #params_struct

            const KERNEL: &str = #kernel_name;

            /// Every compiled instance.
            pub fn instances() -> &'static [&'static ::rlx_kernels::KernelInfo] {
                static ALL: &[&::rlx_kernels::KernelInfo] = &[#(&super::#targets),*];
                ALL
            }

            #find

            #overrides_struct

            #dispatch

            #launch

            #simulate
        }
    }
}

/// The extra argument of a kernel without geometry, the extent, and how a launch passes it on.
fn extent(
    args: &KernelArgs,
    function: &syn::ItemFn,
    params: &Params,
    signature: &[Parameter],
) -> (TokenStream, TokenStream, TokenStream) {
    let Some(geometry) = &args.geometry else {
        return (
            quote!(threads: [u64; 3],),
            quote!(::rlx_kernels::geometry::Extent::Threads(threads)),
            quote!(threads,),
        );
    };
    let names = params
        .fields
        .iter()
        .filter(|field| field.host.is(Scalar::U32))
        .map(|field| &field.name);
    let variant = if geometry.groups {
        quote!(Groups)
    } else {
        quote!(Threads)
    };
    let readers = overrides::readers(args, function, true, "u64");
    let mut extents: Vec<TokenStream> = geometry
        .extents
        .iter()
        .map(|extent| {
            let known: Vec<String> = names.clone().map(paths::name).collect();
            requires::widened(extent, &known, "u64", &readers).to_token_stream()
        })
        .collect();
    if !geometry.unknown(&kernel::counts(signature)).is_empty() {
        // Reported where the kernel is compiled.
        extents.clear();
    }
    extents.resize(3, quote!(1));
    let extent = quote! {{
        #(let #names = u64::from(params.#names);)*
        ::rlx_kernels::geometry::Extent::#variant([#(#extents),*])
    }};
    (TokenStream::new(), extent, TokenStream::new())
}
