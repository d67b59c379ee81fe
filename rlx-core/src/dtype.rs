//! Element types of values.

use std::fmt;

use rlx_kernels::FormatInfo;

use crate::shape::{Shape, ShapeError};

/// The element type of a dense value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DType {
    /// IEEE single.
    F32,
    /// Unsigned integer: row ids, positions.
    U32,
}

impl DType {
    /// Bytes an element.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::F32 | Self::U32 => 4,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::U32 => "u32",
        })
    }
}

/// What a value of the graph holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// One number an element.
    Dense(DType),
    /// Blocks of a weight format, as they are in the file.
    Weight(&'static FormatInfo),
}

impl Elem {
    /// Dense f32.
    pub const F32: Self = Self::Dense(DType::F32);
    /// Dense u32.
    pub const U32: Self = Self::Dense(DType::U32);

    /// The dtype of a dense value.
    pub const fn dense(self) -> Option<DType> {
        match self {
            Self::Dense(dtype) => Some(dtype),
            Self::Weight(_) => None,
        }
    }

    /// The format of a weight.
    pub const fn format(self) -> Option<&'static FormatInfo> {
        match self {
            Self::Dense(_) => None,
            Self::Weight(format) => Some(format),
        }
    }

    /// Bytes that a value of `shape` takes.
    ///
    /// # Errors
    /// [`ShapeError::Elements`] or [`ShapeError::Bytes`] where the count passes 64 bits, and
    /// [`ShapeError::Blocks`] where a weight's elements are no whole number of blocks.
    pub fn bytes_of(self, shape: &Shape) -> Result<u64, ShapeError> {
        let elems = shape.elems()?;
        let overflow = || ShapeError::Bytes {
            shape: shape.clone(),
            elem: self.to_string(),
        };
        match self {
            Self::Dense(dtype) => elems.checked_mul(dtype.bytes()).ok_or_else(overflow),
            Self::Weight(format) if !elems.is_multiple_of(u64::from(format.elems)) => {
                let (format, elems) = (format.name, format.elems);
                Err(ShapeError::Blocks {
                    shape: shape.clone(),
                    format,
                    elems,
                })
            }
            Self::Weight(format) => format.size_of(elems).ok_or_else(overflow),
        }
    }
}

impl From<DType> for Elem {
    fn from(dtype: DType) -> Self {
        Self::Dense(dtype)
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dense(dtype) => dtype.fmt(f),
            Self::Weight(format) => write!(f, "weight in {}", format.name),
        }
    }
}
