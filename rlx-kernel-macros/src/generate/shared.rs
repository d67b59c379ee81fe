//! Structs that host and device share: bytes that both lay out alike.

use proc_macro2::TokenStream;
use quote::quote;
use rlx_kernel_ir::{ItemId, Module, layout};

use crate::parse::module::derives;

/// Makes a struct `Pod` whose layout is the same on both sides, so that buffers hold it as it is.
/// Nothing for any other struct, and for one whose author derives it.
pub fn implementations(module: &Module, id: ItemId, item: &syn::ItemStruct) -> TokenStream {
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
