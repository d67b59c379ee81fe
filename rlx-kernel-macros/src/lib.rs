//! The proc macros of rlx: `#[kernel]`, `#[device]`, `#[format]` and the tables of them.
//!
//! `parse/` turns syn's trees into the kernel IR, `generate/` turns compiled IR into Rust;
//! `chain` is how a helper's tokens reach a kernel in another module or crate.
#![forbid(unsafe_code)]

mod chain;
mod cycle;
#[cfg(test)]
mod fuzz;
mod generate;
mod parse;
mod paths;
mod report;
mod spans;
mod timing;

use proc_macro::TokenStream;

use timing::measured;

/// Compiles a function to a GPU kernel.
///
/// `#[kernel(workgroup_size(X, Y, Z), threads(..) | groups(..), instances(F in list), limits(..))]` on
/// `fn name(x: &[T], y: &mut [T], n: u32, ..)`. Slices become storage bindings in order, plain
/// parameters the params struct. The result is a module `name` with `info()`, `Params`, `dispatch`
/// and `launch`.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    measured("kernel", &item.into(), |item| {
        generate::kernel::attribute(&attribute.into(), item)
    })
    .into()
}

/// Lets kernels call a function, or use a const, by its ordinary path: from any module and crate.
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    measured("device", &item.into(), |item| {
        generate::device::attribute(&attribute.into(), item)
    })
    .into()
}

/// Declares a block format: `#[format(name = "Q8_0", ggml = 8, elems = 32, bytes = 34, layout { d:
/// f16, qs: [i8; 32] })]` on `impl BlockFormat for Q8_0`, whose type the macro declares.
#[proc_macro_attribute]
pub fn format(attribute: TokenStream, item: TokenStream) -> TokenStream {
    generate::format::attribute(&attribute.into(), &item.into()).into()
}

/// Makes the table of elementwise operators: `pub static NAME = [path::to::function, ..];`.
#[proc_macro]
pub fn elementwise_ops(input: TokenStream) -> TokenStream {
    generate::elementwise::table(&input.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __swizzles(input: TokenStream) -> TokenStream {
    match syn::parse::<syn::Ident>(input) {
        Ok(name) => generate::swizzle::swizzles(&name).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

#[doc(hidden)]
#[proc_macro]
pub fn __define_list(input: TokenStream) -> TokenStream {
    generate::list::define(&input.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __define_device(input: TokenStream) -> TokenStream {
    measured("define_device", &input.into(), |input| {
        generate::device::finish(input.clone())
    })
    .into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __define_elementwise(input: TokenStream) -> TokenStream {
    generate::elementwise::finish(input.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __expand_instances(input: TokenStream) -> TokenStream {
    measured("expand_instances", &input.into(), |input| {
        generate::kernel::expand_instances(input.clone())
    })
    .into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __finish_kernel(input: TokenStream) -> TokenStream {
    measured("finish_kernel", &input.into(), |input| {
        generate::kernel::finish(input.clone())
    })
    .into()
}
