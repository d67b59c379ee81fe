//! What the host knows of a param's type by its tokens: structs are told apart where a kernel is
//! compiled.

use rlx_kernel_ir::{Scalar, Type};

use super::{Sink, ty};
use crate::paths;

/// A param's type as its tokens tell it.
#[derive(Clone)]
pub enum Host {
    /// A scalar or a vector.
    Plain(Type),
    /// `T` of `T: Float`, which the params hold as an `f32`.
    Float(syn::Ident),
    /// `Vec2<T>` to `Vec4<T>` of it.
    Floats(u8, syn::Ident),
    /// A `#[device]` struct.
    Struct(syn::Path),
    /// `[T; N]`
    Array(Box<Host>, Box<syn::Expr>),
}

impl Host {
    /// The type that `ty` is; `None` for what no param is. `generics` are the kernel's type
    /// parameters.
    pub fn new(ty: &syn::Type, generics: &[String]) -> Option<Self> {
        match ty {
            syn::Type::Paren(paren) => Self::new(&paren.elem, generics),
            syn::Type::Group(group) => Self::new(&group.elem, generics),
            syn::Type::Array(array) => {
                let elem = Self::new(&array.elem, generics)?;
                Some(Self::Array(Box::new(elem), Box::new(array.len.clone())))
            }
            syn::Type::Path(path) if path.qself.is_none() => {
                Self::plain(ty).or_else(|| Self::named(&path.path, generics))
            }
            _ => None,
        }
    }

    fn plain(ty: &syn::Type) -> Option<Self> {
        ty::plain(ty).map(Self::Plain)
    }

    fn named(path: &syn::Path, generics: &[String]) -> Option<Self> {
        let is_generic = |name: &syn::Ident| generics.contains(&paths::name(name));
        if let Some(name) = path.get_ident().filter(|name| is_generic(name)) {
            return Some(Self::Float(name.clone()));
        }
        let last = path.segments.last()?;
        let name = last.ident.to_string();
        let len = match name.as_str() {
            "Vec2" => 2,
            "Vec3" => 3,
            "Vec4" => 4,
            _ => {
                let is_type = name.starts_with(char::is_uppercase);
                let is_struct = is_type && last.arguments.is_none() && !ty::is_refused(&name);
                return is_struct.then(|| Self::Struct(path.clone()));
            }
        };
        match ty::argument(last)? {
            syn::Type::Path(inner) => {
                let inner = inner.path.get_ident().filter(|name| is_generic(name))?;
                Some(Self::Floats(len, inner.clone()))
            }
            _ => None,
        }
    }

    /// The scalar that a `u32` is, and so on; nothing for all but scalars.
    pub fn is(&self, scalar: Scalar) -> bool {
        matches!(self, Self::Plain(Type::Scalar(found)) if *found == scalar)
    }

    /// The innermost element of an array of arrays.
    pub fn leaf(&self) -> &Self {
        match self {
            Self::Array(elem, _) => elem.leaf(),
            other => other,
        }
    }

    /// Whether its size is told by its tokens.
    pub fn is_sized(&self) -> bool {
        match self {
            Self::Struct(_) => false,
            Self::Array(elem, len) => elem.is_sized() && literal(len).is_some(),
            Self::Plain(_) | Self::Float(_) | Self::Floats(..) => true,
        }
    }

    /// Whether its halves are held as `f32`.
    pub fn is_widened(&self) -> bool {
        matches!(self.leaf(), Self::Float(_) | Self::Floats(..))
    }

    /// Bytes and alignment; bytes up to a multiple of 16 where they are not told by the tokens.
    pub fn layout(&self) -> (u32, u32) {
        match self {
            Self::Plain(ty) => ty.layout().unwrap_or((4, 4)),
            Self::Float(_) => (4, 4),
            Self::Floats(len, _) => Type::vector(Scalar::F32, *len).layout().unwrap_or((4, 4)),
            Self::Struct(_) => (16, 16),
            Self::Array(elem, len) => {
                let stride = elem.layout().0.next_multiple_of(16);
                let size = literal(len).and_then(|len| stride.checked_mul(len));
                (size.unwrap_or(stride), 16)
            }
        }
    }

    /// Whether all instances have its lengths in common; reports the length that they do not.
    pub fn check_lengths(&self, sink: &mut Sink, generics: &[String]) -> bool {
        let Self::Array(elem, len) = self else {
            return true;
        };
        let names = paths::collect_expr(len);
        let name = names.iter().find_map(|path| {
            let first = path.segments.first()?;
            let first = paths::name(&first.ident);
            generics.contains(&first).then_some(first)
        });
        if let Some(name) = &name {
            let message = format!(
                "all instances of a kernel have the same params, and `{name}` differs between them"
            );
            let help = "give the array the largest length, or take a slice: `&[T]`";
            sink.error_help(len, message, help);
        }
        elem.check_lengths(sink, generics) && name.is_none()
    }
}

/// The value of a literal length.
fn literal(len: &syn::Expr) -> Option<u32> {
    match len {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(len),
            ..
        }) => len.base10_parse().ok(),
        _ => None,
    }
}
