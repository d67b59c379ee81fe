//! The params struct, laid out as WGSL lays out a uniform buffer; and the structs within it.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use rlx_kernel_ir::{Scalar, Type, param};
use syn::visit_mut::VisitMut;

use super::kernel::inside;
use crate::parse::param::Host;
use crate::paths;

/// A field of the struct.
pub struct ParamsField {
    /// The author's name.
    pub name: syn::Ident,
    /// Its type.
    pub host: Host,
    /// Byte offset; where one before it has a size that its tokens do not tell, what is left of it
    /// over a multiple of 16.
    offset: u32,
    is_known: bool,
}

/// The params of a kernel, or a struct among them.
pub struct Params {
    /// Fields in order.
    pub fields: Vec<ParamsField>,
    /// Bytes, padding included; as [`ParamsField::offset`] where they are not known.
    size: u32,
    /// Whether it is a struct among the params, whose types are seen from where it is declared.
    is_part: bool,
}

impl Params {
    /// Lays out `fields`.
    pub fn new(fields: impl Iterator<Item = (syn::Ident, Host)>) -> Self {
        // A buffer is whole words.
        Self::aligned(fields, 4, false)
    }

    /// A struct among the params.
    pub fn part(fields: impl Iterator<Item = (syn::Ident, Host)>) -> Self {
        Self::aligned(fields, param::ROW, true)
    }

    fn aligned(
        fields: impl Iterator<Item = (syn::Ident, Host)>,
        least: u32,
        is_part: bool,
    ) -> Self {
        let (mut end, mut max_align, mut is_known) = (0_u32, least, true);
        let fields = fields
            .map(|(name, host)| {
                let (size, align) = host.layout();
                let offset = end.next_multiple_of(align);
                let was_known = is_known;
                end = offset + size;
                max_align = max_align.max(align);
                is_known &= host.is_sized();
                ParamsField {
                    name,
                    host,
                    offset,
                    is_known: was_known,
                }
            })
            .collect();
        Self {
            fields,
            size: end.next_multiple_of(max_align),
            is_part,
        }
    }

    /// A type as this struct sees it.
    fn seen(&self, host: &Host) -> Host {
        match host {
            Host::Struct(path) if !self.is_part => Host::Struct(inside(path)),
            Host::Array(elem, len) => {
                let mut len = len.clone();
                if !self.is_part {
                    Inside.visit_expr_mut(&mut len);
                }
                Host::Array(Box::new(self.seen(elem)), len)
            }
            other => other.clone(),
        }
    }

    /// Its fields, padding included, and their values from variables of their names, of which
    /// `value` tells the expression.
    fn members(
        &self,
        value: impl Fn(&syn::Ident) -> TokenStream,
    ) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let (mut members, mut values) = (Vec::new(), Vec::new());
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
            let (name, host) = (&field.name, self.seen(&field.host));
            pad(&mut members, &mut values, end, field.offset);
            let at = if field.is_known {
                format!(", at byte {}", field.offset)
            } else {
                String::new()
            };
            let doc = format!("`{name}: {}`{at}.", spelled(&host));
            let member = member_type(&host);
            members.push(quote!(#[doc = #doc] pub #name: #member));
            let value = member_value(&host, &value(name));
            values.push(quote!(#name: #value));
            end = field.offset + host.layout().0;
        }
        pad(&mut members, &mut values, end, self.size);
        (members, values)
    }

    /// The struct and its constructor.
    pub fn to_rust(&self) -> TokenStream {
        if self.fields.is_empty() {
            return TokenStream::new();
        }
        let (members, values) = self.members(ToTokens::to_token_stream);
        let args = self.fields.iter().map(|field| {
            let (name, ty) = (&field.name, params_type(&self.seen(&field.host)));
            quote!(#name: #ty)
        });
        let derives = derives();
        quote! {
            #[allow(unused_imports)]
            use ::rlx_kernels::uniform::NoUniform as _;

            /// The kernel's params, laid out as its uniform buffer is.
            #derives
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

    /// How the struct `name` lies among the params, with its fields at `offsets` there.
    pub fn to_part(&self, name: &syn::Ident, offsets: &[u32], size: u32) -> TokenStream {
        let (members, values) = self.members(|name| quote!(self.#name));
        let derives = derives();
        let offsets = self.fields.iter().zip(offsets).map(|(field, offset)| {
            let (name, offset) = (&field.name, *offset as usize);
            quote!(assert!(::core::mem::offset_of!(__Uniform, #name) == #offset);)
        });
        let size = size as usize;
        quote! {
            #[allow(clippy::all, clippy::pedantic, trivial_numeric_casts)]
            const _: () = {
                #derives
                pub struct __Uniform {
                    #(#members,)*
                }
                #(#offsets)*
                assert!(::core::mem::size_of::<__Uniform>() == #size);

                impl ::rlx_kernels::Uniform for #name {
                    type Uniform = __Uniform;
                    fn uniform(self) -> __Uniform {
                        __Uniform { #(#values),* }
                    }
                }
            };
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

fn derives() -> TokenStream {
    quote! {
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, ::rlx_kernels::__private::bytemuck::Pod, ::rlx_kernels::__private::bytemuck::Zeroable)]
        #[bytemuck(crate = "::rlx_kernels::__private::bytemuck")]
    }
}

/// Paths as the kernel's module sees them.
struct Inside;

impl VisitMut for Inside {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        *path = inside(path);
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

/// The length of an array, which Rust wants as a `usize`.
fn length(len: &syn::Expr) -> TokenStream {
    match len {
        syn::Expr::Lit(_) => quote!(#len),
        syn::Expr::Path(_) => quote!({ #len as usize }),
        _ => quote!({ (#len) as usize }),
    }
}

/// The author's spelling.
fn spelled(host: &Host) -> String {
    match host {
        Host::Plain(ty) => ty.to_string(),
        Host::Float(_) => "f32".into(),
        Host::Floats(len, _) => format!("Vec{len}<f32>"),
        Host::Struct(path) => paths::text(path),
        Host::Array(elem, len) => {
            let len = len.to_token_stream().to_string();
            format!("[{}; {len}]", spelled(elem))
        }
    }
}

/// The scalar of a row of 16 bytes, and how many there are.
fn row(elem: &Type) -> (TokenStream, usize) {
    let elem = param::widened(elem);
    let lanes = elem
        .scalar()
        .map_or(4, |scalar| (param::ROW / scalar.size()) as usize);
    (scalar(&elem), lanes)
}

/// The plain type that holds a value of it in a row.
fn held(host: &Host) -> Option<Type> {
    match host {
        Host::Plain(ty) => Some(ty.clone()),
        Host::Float(_) => Some(Type::F32),
        Host::Floats(len, _) => Some(Type::vector(Scalar::F32, *len)),
        Host::Struct(_) | Host::Array(..) => None,
    }
}

/// The value of a field, from that of the argument.
fn member_value(host: &Host, value: &TokenStream) -> TokenStream {
    match host {
        Host::Array(elem, _) => {
            let Some(plain) = held(elem) else {
                let inner = member_value(elem, &quote!(inner));
                return quote!(#value.map(|inner| #inner));
            };
            let is_half = plain.scalar() == Some(Scalar::F16);
            let widened = |value: TokenStream| {
                if is_half {
                    quote!(#value.to_f32())
                } else {
                    value
                }
            };
            let (scalar, lanes) = row(&plain);
            let zero = quote!(<#scalar as ::core::default::Default>::default());
            let given: Vec<_> = match &plain {
                Type::Vector(_, len) => ["x", "y", "z", "w"][..usize::from(*len).min(4)]
                    .iter()
                    .map(|name| {
                        let name = format_ident!("{name}");
                        widened(quote!(element.#name))
                    })
                    .collect(),
                _ => vec![widened(quote!(element))],
            };
            let rest = (given.len()..lanes).map(|_| &zero);
            quote!(#value.map(|element| [#(#given,)* #(#rest,)*]))
        }
        Host::Struct(path) => quote!(<::rlx_kernels::uniform::Rows<#path>>::of(#value)),
        Host::Plain(Type::Vector(..)) | Host::Floats(..) => quote!(#value.to_array()),
        Host::Plain(_) | Host::Float(_) => value.clone(),
    }
}

fn member_type(host: &Host) -> TokenStream {
    match host {
        Host::Array(elem, len) => {
            let len = length(len);
            let Some(plain) = held(elem) else {
                let inner = member_type(elem);
                return quote!([#inner; #len]);
            };
            let (scalar, lanes) = row(&plain);
            quote!([[#scalar; #lanes]; #len])
        }
        Host::Struct(path) => quote!([[u32; 4]; <::rlx_kernels::uniform::Rows<#path>>::COUNT]),
        Host::Plain(_) | Host::Float(_) | Host::Floats(..) => {
            let ty = held(host).unwrap_or(Type::F32);
            let scalar = scalar(&ty);
            if let Type::Vector(_, len) = ty {
                let len = usize::from(len);
                quote!([#scalar; #len])
            } else {
                scalar
            }
        }
    }
}

/// The type by which the params take a value.
fn params_type(host: &Host) -> TokenStream {
    match host {
        Host::Plain(ty) => argument_type(ty),
        Host::Float(_) | Host::Floats(..) => argument_type(&held(host).unwrap_or(Type::F32)),
        Host::Struct(path) => quote!(#path),
        Host::Array(elem, len) => {
            let (elem, len) = (params_type(elem), length(len));
            quote!([#elem; #len])
        }
    }
}

/// The type by which a launch takes a value.
pub fn launch_type(host: &Host) -> TokenStream {
    match host {
        Host::Float(name) => quote!(#name),
        Host::Floats(len, name) => {
            let vector = format_ident!("Vec{len}");
            quote!(::rlx_kernels::vector::#vector<#name>)
        }
        Host::Struct(path) => inside(path).to_token_stream(),
        Host::Array(elem, len) => {
            let mut len = len.clone();
            Inside.visit_expr_mut(&mut len);
            let (elem, len) = (launch_type(elem), length(&len));
            quote!([#elem; #len])
        }
        Host::Plain(ty) => argument_type(ty),
    }
}

/// What the params take, from what a launch took.
pub fn launch_value(host: &Host, value: &TokenStream) -> TokenStream {
    match host {
        Host::Float(_) => quote!(::rlx_kernels::number::Float::to_f32(#value)),
        Host::Floats(..) => quote!(#value.map(::rlx_kernels::number::Float::to_f32)),
        Host::Array(elem, _) if host.is_widened() => {
            let inner = launch_value(elem, &quote!(inner));
            quote!(#value.map(|inner| #inner))
        }
        _ => value.clone(),
    }
}

/// The type of a plain value on the host.
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
