//! The params struct, laid out as WGSL lays out a uniform buffer.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use rlx_kernel_ir::{Scalar, Type, param};

/// A field of the struct.
pub struct ParamsField {
    /// The author's name.
    pub name: syn::Ident,
    /// Its type.
    pub ty: Type,
    /// Byte offset.
    pub offset: u32,
}

/// The params of a kernel.
pub struct Params {
    /// Fields in order.
    pub fields: Vec<ParamsField>,
    /// Bytes, padding included.
    pub size: u32,
}

impl Params {
    /// Lays out `fields`.
    pub fn new(fields: impl Iterator<Item = (syn::Ident, Type)>) -> Self {
        let (mut end, mut max_align) = (0_u32, 1);
        let fields = fields
            .map(|(name, ty)| {
                let (size, align) = param::layout(&ty).unwrap_or((4, 4));
                let offset = end.next_multiple_of(align);
                end = offset + size;
                max_align = max_align.max(align);
                ParamsField { name, ty, offset }
            })
            .collect();
        Self {
            fields,
            // A buffer is whole words.
            size: end.next_multiple_of(max_align).next_multiple_of(4),
        }
    }

    /// The struct and its constructor.
    pub fn to_rust(&self) -> TokenStream {
        if self.fields.is_empty() {
            return TokenStream::new();
        }
        let (mut members, mut values, mut args) = (Vec::new(), Vec::new(), Vec::new());
        let mut end = 0;
        let pad =
            |members: &mut Vec<TokenStream>, values: &mut Vec<TokenStream>, from: u32, to: u32| {
                if to > from {
                    let name = format_ident!("_pad_{from}");
                    let bytes = (to - from) as usize;
                    members.push(quote!(#[doc(hidden)] pub #name: [u8; #bytes]));
                    values.push(quote!(#name: [0; #bytes]));
                }
            };
        for field in &self.fields {
            let name = &field.name;
            pad(&mut members, &mut values, end, field.offset);
            let doc = format!("`{name}: {}`, at byte {}.", field.ty, field.offset);
            let (member, arg) = (member_type(&field.ty), argument_type(&field.ty));
            members.push(quote!(#[doc = #doc] pub #name: #member));
            args.push(quote!(#name: #arg));
            let value = member_value(&field.ty, &quote!(#name));
            values.push(quote!(#name: #value));
            end = field.offset + param::layout(&field.ty).map_or(4, |(size, _)| size);
        }
        pad(&mut members, &mut values, end, self.size);
        quote! {
            /// The kernel's params, laid out as its uniform buffer is.
            #[repr(C)]
            #[derive(Clone, Copy, Debug, PartialEq, ::rlx_kernels::__private::bytemuck::Pod, ::rlx_kernels::__private::bytemuck::Zeroable)]
            #[bytemuck(crate = "::rlx_kernels::__private::bytemuck")]
            pub struct Params {
                #(#members,)*
            }

            impl Params {
                /// The params of these values.
                pub fn new(#(#args),*) -> Self {
                    Self { #(#values),* }
                }
            }
        }
    }

    /// Assertions that the struct is what naga says of the shader's.
    pub fn assertions(
        &self,
        module: &syn::Ident,
        naga: &[(u32, u32)],
        naga_size: u32,
    ) -> TokenStream {
        if self.fields.is_empty() {
            return TokenStream::new();
        }
        let offsets = self.fields.iter().zip(naga).map(|(field, (offset, _))| {
            let name = &field.name;
            let offset = *offset as usize;
            quote!(assert!(::core::mem::offset_of!(#module::Params, #name) == #offset);)
        });
        let size = naga_size as usize;
        quote! {
            const _: () = {
                #(#offsets)*
                assert!(::core::mem::size_of::<#module::Params>() == #size);
            };
        }
    }
}

fn scalar(ty: &Type) -> TokenStream {
    let scalar = ty.scalar().unwrap_or(Scalar::U32);
    if scalar == Scalar::F16 {
        return quote!(::rlx_kernels::f16);
    }
    let name = format_ident!("{}", scalar.name());
    quote!(#name)
}

/// Scalars of a row of 16 bytes.
fn lanes(elem: &Type) -> usize {
    elem.scalar()
        .map_or(4, |scalar| 16 / scalar.size() as usize)
}

/// The value of a field, from that of the argument.
fn member_value(ty: &Type, value: &TokenStream) -> TokenStream {
    match ty {
        Type::Array(elem, _) if matches!(**elem, Type::Array(..)) => {
            let inner = member_value(elem, &quote!(inner));
            quote!(#value.map(|inner| #inner))
        }
        Type::Array(elem, _) => {
            let zero = scalar(elem);
            let (zero, lanes) = (
                quote!(<#zero as ::core::default::Default>::default()),
                lanes(elem),
            );
            let given = match &**elem {
                Type::Vector(_, len) => ["x", "y", "z", "w"][..usize::from(*len).min(4)]
                    .iter()
                    .map(|name| {
                        let name = format_ident!("{name}");
                        quote!(element.#name)
                    })
                    .collect(),
                _ => vec![quote!(element)],
            };
            let rest = (given.len()..lanes).map(|_| &zero);
            quote!(#value.map(|element| [#(#given,)* #(#rest,)*]))
        }
        Type::Vector(..) => quote!(#value.to_array()),
        _ => value.clone(),
    }
}

fn member_type(ty: &Type) -> TokenStream {
    if let Type::Array(elem, len) = ty {
        let len = *len as usize;
        if let Type::Array(..) = **elem {
            let inner = member_type(elem);
            return quote!([#inner; #len]);
        }
        let (scalar, lanes) = (scalar(elem), lanes(elem));
        return quote!([[#scalar; #lanes]; #len]);
    }
    let scalar = scalar(ty);
    if let Type::Vector(_, len) = ty {
        let len = usize::from(*len);
        quote!([#scalar; #len])
    } else {
        quote!(#scalar)
    }
}

/// The type by which a launch takes a value.
pub fn argument_type(ty: &Type) -> TokenStream {
    if let Type::Array(elem, len) = ty {
        let (elem, len) = (argument_type(elem), *len as usize);
        return quote!([#elem; #len]);
    }
    let scalar = scalar(ty);
    if let Type::Vector(_, len) = ty {
        let vector = format_ident!("Vec{len}");
        quote!(::rlx_kernels::vector::#vector<#scalar>)
    } else {
        quote!(#scalar)
    }
}
