//! Dense values on the host.

use rlx_core::{DType, Shape};

/// A dense value, row-major. Whether the data fit the shape is checked where a tensor is used.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The extents.
    pub shape: Shape,
    /// The elements, as many as the shape has.
    pub data: TensorData,
}

/// The elements of a [`Tensor`].
#[derive(Clone, Debug, PartialEq)]
pub enum TensorData {
    /// f32 elements.
    F32(Vec<f32>),
    /// u32 elements.
    U32(Vec<u32>),
}

impl Tensor {
    /// A tensor of f32.
    pub fn f32(shape: impl Into<Shape>, data: impl Into<Vec<f32>>) -> Self {
        Self {
            shape: shape.into(),
            data: TensorData::F32(data.into()),
        }
    }

    /// A tensor of u32.
    pub fn u32(shape: impl Into<Shape>, data: impl Into<Vec<u32>>) -> Self {
        Self {
            shape: shape.into(),
            data: TensorData::U32(data.into()),
        }
    }
}

impl TensorData {
    /// The elements' dtype.
    pub fn dtype(&self) -> DType {
        match self {
            Self::F32(_) => DType::F32,
            Self::U32(_) => DType::U32,
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(data) => data.len(),
            Self::U32(data) => data.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, where they are f32.
    pub fn as_f32(&self) -> Option<&[f32]> {
        match self {
            Self::F32(data) => Some(data),
            Self::U32(_) => None,
        }
    }

    /// The elements, where they are u32.
    pub fn as_u32(&self) -> Option<&[u32]> {
        match self {
            Self::F32(_) => None,
            Self::U32(data) => Some(data),
        }
    }
}
