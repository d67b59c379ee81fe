//! Structs that host and device share: bytes that both lay out alike.

use proc_macro2::TokenStream;
use quote::quote;
use rlx_kernel_ir::{ItemId, Module, Type, layout, param};

use super::params::Params;
use crate::parse::module::derives;
use crate::parse::param::Host;

/// Makes a struct what kernels take as a param. Where it cannot be, its kernels say so.
pub fn uniform(module: &Module, id: ItemId, item: &syn::ItemStruct) -> TokenStream {
    let name = &item.ident;
    if item.fields.is_empty() {
        return TokenStream::new();
    }
    let ty = Type::Struct(id, String::new());
    let fields = item.fields.iter().map(|field| {
        let host = Host::new(&field.ty, &[])?;
        Some((field.ident.clone()?, host))
    });
    let fields: Option<Vec<_>> = fields.collect();
    let layout = param::layout(module, &ty).zip(param::offsets(module, id));
    if param::problem(module, &ty).is_none()
        && let (Some(fields), Some(((size, _), offsets))) = (fields, layout)
    {
        return Params::part(fields.into_iter()).to_part(name, &offsets, size);
    }
    quote! {
        impl ::rlx_kernels::Uniform for #name {
            type Uniform = ();
            fn uniform(self) {}
        }
    }
}

/// Makes a struct `Pod` whose layout is the same on both sides, so that buffers hold it as it is.
/// Nothing for any other struct, and for one whose author derives it.
pub fn implementations(module: &Module, id: ItemId, item: &syn::ItemStruct) -> TokenStream {
    if item.fields.is_empty() {
        return TokenStream::new();
    }
    let Some((offsets, size)) = layout::shared(module, id) else {
        return TokenStream::new();
    };
    if derives(&item.attrs, "Pod") {
        return TokenStream::new();
    }
    let name = &item.ident;
    let size = size as usize;
    let (mut fields, mut types) = (Vec::new(), Vec::new());
    for (field, offset) in item.fields.iter().zip(offsets) {
        let (name_of_field, offset) = (&field.ident, offset as usize);
        types.push(&field.ty);
        fields.push(quote!(assert!(::core::mem::offset_of!(#name, #name_of_field) == #offset);));
    }
    // Sound: `repr(C)`; the assertions hold its fields to offsets with no byte between them, and each
    // of them is `Pod`.
    quote! {
        const _: () = {
            use ::rlx_kernels::__private::bytemuck::{Pod, Zeroable};

            const fn is_pod<T: Pod>() {}
            #(is_pod::<#types>();)*
            #(#fields)*
            assert!(::core::mem::size_of::<#name>() == #size);
            unsafe impl Zeroable for #name {}
            unsafe impl Pod for #name {}
        };
    }
}
