//! Types.

use quote::ToTokens;
use rlx_kernel_ir::{Bound, Expr, Scalar, Type};

use super::body::BodyParser;
use super::{Sink, Target};
use crate::paths;

/// The scalar of that name.
pub fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "bool" => Scalar::Bool,
        "i32" => Scalar::I32,
        "u32" => Scalar::U32,
        "f32" => Scalar::F32,
        "f16" => Scalar::F16,
        "i64" => Scalar::I64,
        "u64" => Scalar::U64,
        _ => return None,
    })
}

/// What to write instead of a type that a GPU does not have.
fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "usize" | "u128" | "u16" | "u8" => "write `u32`, or `u64` where the device has it",
        "isize" | "i128" | "i16" | "i8" => "write `i32`, or `i64` where the device has it",
        "f64" => "floats on a GPU have 32 bits: write `f32`",
        "AtomicU32" | "AtomicI32" => {
            "atomics are elements of slices, `&mut [AtomicU32]`, and of `#[workgroup]` arrays"
        }
        "Vec" | "Box" | "String" | "str" => {
            "there is no heap on a GPU: use an array `[T; N]` or a slice parameter"
        }
        "MatrixA" | "MatrixB" | "MatrixC" => {
            "a matrix is held by a subgroup, and no host has one: take its elements as a slice, and `load_rows` them"
        }
        "Option" | "Result" => "use a value that means `none`, or a `bool` beside it",
        _ => return None,
    })
}

/// Whether a GPU has no type of that name, and it is known what to write instead.
pub fn is_refused(name: &str) -> bool {
    instead(name).is_some()
}

/// A scalar or vector type without any name of the author's: what the signature of a kernel takes.
pub fn plain(ty: &syn::Type) -> Option<Type> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let name = last.ident.to_string();
    if let (Some(scalar), true) = (scalar(&name), last.arguments.is_none()) {
        return Some(Type::Scalar(scalar));
    }
    let len = match name.as_str() {
        "Vec2" => 2,
        "Vec3" => 3,
        "Vec4" => 4,
        _ => return None,
    };
    match argument(last)? {
        syn::Type::Path(inner) => {
            let scalar = scalar(&inner.path.segments.last()?.ident.to_string())?;
            Some(Type::vector(scalar, len))
        }
        _ => None,
    }
}

/// The only type argument of a segment.
pub fn argument(segment: &syn::PathSegment) -> Option<&syn::Type> {
    let syn::PathArguments::AngleBracketed(args) = &segment.arguments else {
        return None;
    };
    args.args.iter().find_map(|arg| match arg {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Reports a type that the language does not have.
pub fn refuse(sink: &mut Sink, ty: &syn::Type) {
    let text = ty.to_token_stream().to_string().replace(' ', "");
    let name = match ty {
        syn::Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default(),
        _ => String::new(),
    };
    let message = format!("`{text}` is not a type of the kernel language");
    match (instead(&name), ty) {
        (Some(help), _) => sink.error_help(ty, message, help),
        (None, syn::Type::Tuple(_)) => {
            sink.error_help(ty, message, "use a vector, an array, or several variables");
        }
        (None, syn::Type::Reference(_)) => {
            sink.error_help(
                ty,
                message,
                "references are slices (`&[T]`, `&mut [T]`) or `&mut` of a local variable",
            );
        }
        _ => sink.error_help(
            ty,
            message,
            "it has `bool`, `i32`, `u32`, `f32`, `f16`, `i64`, `u64`, `Vec2<T>` to `Vec4<T>`, `[T; N]` and slices",
        ),
    }
}

/// `AtomicU32` or `AtomicI32`, which lie in memory only.
fn atomic(ty: &syn::Type) -> Option<Type> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    Some(match paths::text(&path.path).as_str() {
        "AtomicU32" => Type::Atomic(Scalar::U32),
        "AtomicI32" => Type::Atomic(Scalar::I32),
        _ => return None,
    })
}

impl BodyParser<'_> {
    /// A type in a body or in a helper's signature.
    pub fn ty(&mut self, ty: &syn::Type) -> Type {
        if let Some(plain) = plain(ty) {
            return plain;
        }
        match ty {
            syn::Type::Paren(paren) => self.ty(&paren.elem),
            syn::Type::Group(group) => self.ty(&group.elem),
            syn::Type::Array(array) => {
                let elem = self.ty(&array.elem);
                match self.length(&array.len) {
                    Some(len) => Type::Array(Box::new(elem), len),
                    None => Type::Error,
                }
            }
            syn::Type::Reference(reference) => {
                let writable = reference.mutability.is_some();
                match &*reference.elem {
                    syn::Type::Slice(slice) => Type::Slice {
                        elem: Box::new(self.element(&slice.elem)),
                        writable,
                        source: None,
                    },
                    inner if writable => Type::Pointer(Box::new(self.ty(inner))),
                    _ => {
                        let help = "take it by value: it is copied";
                        self.sink
                            .error_help(ty, "only slices can be borrowed shared", help);
                        Type::Error
                    }
                }
            }
            syn::Type::Path(path) => {
                if let Some(Target::Struct(id, name)) =
                    self.resolver.targets.get(&paths::text(&path.path))
                {
                    if self.resolver.alone.contains(id) {
                        let message = format!("`{name}` has no fields, so it is no value");
                        let help = "a kernel names it as a type alone: `Type::function(..)`";
                        self.sink.error_help(ty, message, help);
                        return Type::Error;
                    }
                    return Type::Struct(*id, name.clone());
                }
                let name = paths::text(&path.path);
                match self.resolver.targets.get(&name) {
                    Some(Target::Generic(id, Bound::Float)) => return Type::Param(*id, name),
                    Some(Target::Scalar(ty)) => return ty.clone(),
                    _ => {}
                }
                if let Some(vector) = self.generic_vector(path) {
                    return vector;
                }
                if let Some(matrix) = self.matrix_type(&path.path) {
                    return matrix;
                }
                if let Some(last) = path.path.segments.last()
                    && last.ident == "Block"
                    && let Some(argument) = argument(last)
                {
                    return match self.format_type(argument) {
                        Some(format) => Type::Block {
                            format,
                            source: None,
                        },
                        None => Type::Error,
                    };
                }
                refuse(self.sink, ty);
                Type::Error
            }
            _ => {
                refuse(self.sink, ty);
                Type::Error
            }
        }
    }

    /// The element of a slice.
    pub fn element(&mut self, ty: &syn::Type) -> Type {
        if let syn::Type::Path(path) = ty
            && let Some(last) = path.path.segments.last()
            && last.ident == "Packed"
            && let Some(argument) = argument(last)
        {
            return self.format_type(argument).map_or(Type::Error, Type::Packed);
        }
        let elem = atomic(ty).unwrap_or_else(|| self.ty(ty));
        self.in_memory(ty, elem)
    }

    /// The type of workgroup memory, and its length where that names overrides.
    pub fn workgroup_type(&mut self, ty: &syn::Type) -> (Type, Option<Expr>) {
        if let Some(atomic) = atomic(ty) {
            return (atomic, None);
        }
        let syn::Type::Array(array) = ty else {
            let parsed = self.ty(ty);
            return (self.in_memory(ty, parsed), None);
        };
        let elem = atomic(&array.elem);
        if let Some((len, default)) = self.overridden_size(&array.len) {
            let elem = elem.unwrap_or_else(|| self.ty(&array.elem));
            let elem = self.in_memory(&array.elem, elem);
            return (Type::Array(Box::new(elem), default), Some(len));
        }
        let Some(elem) = elem else {
            let parsed = self.ty(ty);
            return (self.in_memory(&array.elem, parsed), None);
        };
        let len = self.length(&array.len);
        let ty = len.map_or(Type::Error, |len| Type::Array(Box::new(elem), len));
        (ty, None)
    }

    fn format_type(&mut self, ty: &syn::Type) -> Option<rlx_kernel_ir::ItemId> {
        if let syn::Type::Path(path) = ty {
            match self.resolver.targets.get(&paths::text(&path.path)) {
                Some(Target::Format(format)) => return Some(format.id),
                Some(Target::Generic(id, Bound::Format)) => return Some(*id),
                _ => {}
            }
        }
        self.sink.error_help(
            ty,
            "expected a block format",
            "a format is a type made by `#[format]`, or a type parameter `F: BlockFormat`",
        );
        None
    }
}
