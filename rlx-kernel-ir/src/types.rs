//! Types of the kernel language.

use std::fmt;

use crate::item::ItemId;
use crate::matrix::Role;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bool`
    Bool,
    /// `i32`
    I32,
    /// `u32`
    U32,
    /// `f32`
    F32,
    /// `f16`, where the device has it.
    F16,
    /// `i64`, where the device has it.
    I64,
    /// `u64`, where the device has it.
    U64,
}

impl Scalar {
    /// Whether it is an integer.
    pub fn is_int(self) -> bool {
        matches!(self, Self::I32 | Self::U32 | Self::I64 | Self::U64)
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16)
    }

    /// Whether it is an unsigned integer.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Self::U32 | Self::U64)
    }

    /// Bytes of a value in memory; a `bool` takes four where it may lie.
    pub fn size(self) -> u32 {
        match self {
            Self::F16 => 2,
            Self::Bool | Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 => 8,
        }
    }

    /// The values of an integer type.
    pub fn range(self) -> Option<std::ops::RangeInclusive<i128>> {
        Some(match self {
            Self::I32 => i128::from(i32::MIN)..=i128::from(i32::MAX),
            Self::U32 => 0..=i128::from(u32::MAX),
            Self::I64 => i128::from(i64::MIN)..=i128::from(i64::MAX),
            Self::U64 => 0..=i128::from(u64::MAX),
            Self::Bool | Self::F32 | Self::F16 => return None,
        })
    }

    /// The name, alike in Rust and in WGSL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::I64 => "i64",
            Self::U64 => "u64",
        }
    }
}

/// The memory behind a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Storage binding `.0` of the kernel.
    Binding(usize),
    /// Workgroup variable `.0` of the kernel.
    Workgroup(usize),
    /// Table `.0` of the module.
    Table(usize),
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Not inferred yet.
    Unknown,
    /// The type of what has already been reported.
    Error,
    /// An inference variable.
    Infer(u32),
    /// No value.
    Unit,
    /// Control never comes back.
    Never,
    /// A scalar.
    Scalar(Scalar),
    /// `Vec2<T>` to `Vec4<T>`.
    Vector(Box<Type>, u8),
    /// `[T; N]`
    Array(Box<Type>, u32),
    /// `MatrixA<T, N>` to `MatrixC<T, N>`: a square matrix that a subgroup holds.
    Matrix(Box<Type>, Role, u32),
    /// `&[T]` or `&mut [T]`; `source` is known once a helper is specialised.
    Slice {
        /// Element type.
        elem: Box<Type>,
        /// Whether it is `&mut`.
        writable: bool,
        /// The memory behind it.
        source: Option<Source>,
    },
    /// A `#[device]` struct, with its name in WGSL.
    Struct(ItemId, String),
    /// `AtomicU32`, `AtomicI32`: in slices and workgroup memory only.
    Atomic(Scalar),
    /// The element of a slice of packed weights.
    Packed(ItemId),
    /// One block of a packed slice.
    Block {
        /// The format.
        format: ItemId,
        /// The slice it lies in.
        source: Option<Source>,
    },
    /// `&mut T` of a local.
    Pointer(Box<Type>),
    /// A parameter of a generic function, with its name; gone once the function is specialised.
    Param(ItemId, String),
}

impl Type {
    /// `bool`
    pub const BOOL: Self = Self::Scalar(Scalar::Bool);
    /// `i32`
    pub const I32: Self = Self::Scalar(Scalar::I32);
    /// `u32`
    pub const U32: Self = Self::Scalar(Scalar::U32);
    /// `f32`
    pub const F32: Self = Self::Scalar(Scalar::F32);
    /// `f16`
    pub const F16: Self = Self::Scalar(Scalar::F16);
    /// `i64`
    pub const I64: Self = Self::Scalar(Scalar::I64);
    /// `u64`
    pub const U64: Self = Self::Scalar(Scalar::U64);

    /// A vector of `scalar`.
    pub fn vector(scalar: Scalar, len: u8) -> Self {
        Self::Vector(Box::new(Self::Scalar(scalar)), len)
    }

    /// The scalar itself, or the scalar of a vector's components.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) => Some(*scalar),
            Self::Vector(elem, _) => elem.scalar(),
            _ => None,
        }
    }

    /// Whether it is a matrix, or something made of matrices.
    pub fn has_matrix(&self) -> bool {
        match self {
            Self::Matrix(..) => true,
            Self::Array(inner, _) | Self::Pointer(inner) => inner.has_matrix(),
            _ => false,
        }
    }

    /// Bytes of a value in storage or workgroup memory, and its alignment; `None` for what has no
    /// place in memory.
    pub fn layout(&self) -> Option<(u32, u32)> {
        match self {
            Self::Scalar(scalar) | Self::Atomic(scalar) => Some((scalar.size(), scalar.size())),
            Self::Vector(elem, len) => {
                let (size, _) = elem.layout()?;
                let lanes = if *len == 3 { 4 } else { u32::from(*len) };
                Some((size * u32::from(*len), size * lanes))
            }
            Self::Array(elem, len) => {
                let (size, align) = elem.layout()?;
                Some((size.next_multiple_of(align).checked_mul(*len)?, align))
            }
            _ => None,
        }
    }

    /// The type as WGSL spells it; `None` for what WGSL has no type for.
    pub fn wgsl(&self) -> Option<String> {
        Some(match self {
            Self::Scalar(scalar) => scalar.name().into(),
            Self::Vector(elem, len) => match elem.scalar()? {
                Scalar::I32 => format!("vec{len}i"),
                Scalar::U32 => format!("vec{len}u"),
                Scalar::F32 => format!("vec{len}f"),
                Scalar::F16 => format!("vec{len}h"),
                scalar @ (Scalar::Bool | Scalar::I64 | Scalar::U64) => {
                    format!("vec{len}<{}>", scalar.name())
                }
            },
            Self::Array(elem, len) => format!("array<{}, {len}>", elem.wgsl()?),
            Self::Matrix(elem, role, size) => {
                let (elem, role) = (elem.wgsl()?, role.letter());
                format!("coop_mat{size}x{size}<{elem}, {role}>")
            }
            Self::Struct(_, name) => name.clone(),
            Self::Atomic(scalar) => format!("atomic<{}>", scalar.name()),
            Self::Block { .. } => "u32".into(),
            Self::Pointer(inner) => format!("ptr<function, {}>", inner.wgsl()?),
            _ => return None,
        })
    }
}

/// The type as the author spells it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown | Self::Error | Self::Infer(_) => f.write_str("_"),
            Self::Unit => f.write_str("()"),
            Self::Never => f.write_str("!"),
            Self::Scalar(scalar) => f.write_str(scalar.name()),
            Self::Vector(elem, len) => write!(f, "Vec{len}<{elem}>"),
            Self::Array(elem, len) => write!(f, "[{elem}; {len}]"),
            Self::Matrix(elem, role, size) => write!(f, "{}<{elem}, {size}>", role.rust()),
            Self::Slice { elem, writable, .. } => {
                write!(f, "&{}[{elem}]", if *writable { "mut " } else { "" })
            }
            Self::Struct(_, name) | Self::Param(_, name) => f.write_str(name),
            Self::Atomic(scalar) => write!(f, "Atomic{}", scalar.name().to_uppercase()),
            Self::Packed(_) => f.write_str("Packed<_>"),
            Self::Block { .. } => f.write_str("Block<_>"),
            Self::Pointer(inner) => write!(f, "&mut {inner}"),
        }
    }
}
