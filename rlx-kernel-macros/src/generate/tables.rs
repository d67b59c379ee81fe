//! The tables that a kernel reads, as values.

use proc_macro2::TokenStream;
use quote::quote;
use rlx_kernel_ir::{Compiled, Module, Type};
use syn::visit::Visit;

use super::instances::Values;
use crate::parse::ty::argument;

/// The list of a compiled kernel's tables. Their words are those of the formats that the function's
/// slices name; `instance` tells what its type parameters stand for.
pub fn list(
    function: &syn::ItemFn,
    instance: &Values,
    module: &Module,
    compiled: &Compiled,
) -> TokenStream {
    let mut packed = PackedTypes::default();
    packed.visit_signature(&function.sig);
    let bindings = module.kernel.iter().flat_map(|kernel| &kernel.bindings);
    let formats: Vec<_> = bindings
        .filter_map(|binding| match binding.elem {
            Type::Packed(format) => Some(format),
            _ => None,
        })
        .zip(&packed.formats)
        .collect();
    let tables = compiled.tables.iter().filter_map(|(index, variable)| {
        let table = module.tables.get(*index)?;
        let (_, ty) = formats.iter().find(|(format, _)| *format == table.format)?;
        let stands_for = instance.iter().find(|(name, _)| {
            matches!(ty, syn::Type::Path(path) if path.path.is_ident(name))
        });
        let format = stands_for.map_or_else(|| quote!(#ty), |(_, path)| quote!(#path));
        let place = table.index;
        Some(quote! {
            ::rlx_kernels::Table {
                variable: ::rlx_kernels::__private::Cow::Borrowed(#variable),
                words: ::rlx_kernels::__private::Cow::Borrowed(<#format as ::rlx_kernels::BlockFormat>::TABLES[#place]),
            }
        })
    });
    quote!(::rlx_kernels::__private::Cow::Borrowed(&[#(#tables),*]))
}

/// The formats of a signature's packed slices, in order.
#[derive(Default)]
struct PackedTypes {
    formats: Vec<syn::Type>,
}

impl<'ast> Visit<'ast> for PackedTypes {
    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        match argument(segment) {
            Some(format) if segment.ident == "Packed" => self.formats.push(format.clone()),
            _ => syn::visit::visit_path_segment(self, segment),
        }
    }
}
