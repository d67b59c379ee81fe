//! Metadata values that own what they hold, for writing.

use super::array::ARRAY_DEPTH_LIMIT;
use super::error::Fault;
use super::value::{Value, ValueType};
use super::writer::WriteError;

/// A metadata value to write; made from Rust's scalars, strings and vectors by [`From`].
#[derive(Clone, Debug, PartialEq)]
pub enum OwnedValue {
    /// Unsigned, 8 bits.
    U8(u8),
    /// Signed, 8 bits.
    I8(i8),
    /// Unsigned, 16 bits.
    U16(u16),
    /// Signed, 16 bits.
    I16(i16),
    /// Unsigned, 32 bits.
    U32(u32),
    /// Signed, 32 bits.
    I32(i32),
    /// IEEE single.
    F32(f32),
    /// True or false.
    Bool(bool),
    /// Text.
    String(String),
    /// Values of one type.
    Array {
        /// The type of the elements, which an empty array has too.
        element: ValueType,
        /// The elements.
        items: Vec<OwnedValue>,
    },
    /// Unsigned, 64 bits.
    U64(u64),
    /// Signed, 64 bits.
    I64(i64),
    /// IEEE double.
    F64(f64),
}

impl OwnedValue {
    /// The value's type.
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::U8(_) => ValueType::U8,
            Self::I8(_) => ValueType::I8,
            Self::U16(_) => ValueType::U16,
            Self::I16(_) => ValueType::I16,
            Self::U32(_) => ValueType::U32,
            Self::I32(_) => ValueType::I32,
            Self::F32(_) => ValueType::F32,
            Self::Bool(_) => ValueType::Bool,
            Self::String(_) => ValueType::String,
            Self::Array { .. } => ValueType::Array,
            Self::U64(_) => ValueType::U64,
            Self::I64(_) => ValueType::I64,
            Self::F64(_) => ValueType::F64,
        }
    }

    /// Checks that arrays hold one type and nest no deeper than a reader takes.
    pub(super) fn check(&self, key: &str, depth: usize) -> Result<(), WriteError> {
        let Self::Array { element, items } = self else {
            return Ok(());
        };
        if depth >= ARRAY_DEPTH_LIMIT {
            let fault = Fault::Depth {
                limit: ARRAY_DEPTH_LIMIT,
            };
            return Err(WriteError::Key {
                key: key.to_owned(),
                fault,
            });
        }
        for (index, item) in items.iter().enumerate() {
            let (expected, found) = (*element, item.value_type());
            if expected != found {
                let key = key.to_owned();
                return Err(WriteError::Element {
                    key,
                    index,
                    expected,
                    found,
                });
            }
            item.check(key, depth + 1)?;
        }
        Ok(())
    }

    /// Appends the value's bytes.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::U8(value) => out.extend(value.to_le_bytes()),
            Self::I8(value) => out.extend(value.to_le_bytes()),
            Self::U16(value) => out.extend(value.to_le_bytes()),
            Self::I16(value) => out.extend(value.to_le_bytes()),
            Self::U32(value) => out.extend(value.to_le_bytes()),
            Self::I32(value) => out.extend(value.to_le_bytes()),
            Self::F32(value) => out.extend(value.to_le_bytes()),
            Self::U64(value) => out.extend(value.to_le_bytes()),
            Self::I64(value) => out.extend(value.to_le_bytes()),
            Self::F64(value) => out.extend(value.to_le_bytes()),
            Self::Bool(value) => out.push(u8::from(*value)),
            Self::String(text) => encode_string(text, out),
            Self::Array { element, items } => {
                out.extend(element.number().to_le_bytes());
                out.extend((items.len() as u64).to_le_bytes());
                for item in items {
                    item.encode(out);
                }
            }
        }
    }
}

/// Appends a length in 64 bits and the bytes.
pub(super) fn encode_string(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

impl From<Value<'_>> for OwnedValue {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::U8(value) => Self::U8(value),
            Value::I8(value) => Self::I8(value),
            Value::U16(value) => Self::U16(value),
            Value::I16(value) => Self::I16(value),
            Value::U32(value) => Self::U32(value),
            Value::I32(value) => Self::I32(value),
            Value::F32(value) => Self::F32(value),
            Value::Bool(value) => Self::Bool(value),
            Value::String(text) => Self::String(text.to_owned()),
            Value::Array(array) => Self::Array {
                element: array.element_type(),
                items: array.iter().map(Self::from).collect(),
            },
            Value::U64(value) => Self::U64(value),
            Value::I64(value) => Self::I64(value),
            Value::F64(value) => Self::F64(value),
        }
    }
}

macro_rules! owned_value {
    ($($variant:ident($ty:ty)),* $(,)?) => { $(
        impl From<$ty> for OwnedValue {
            fn from(value: $ty) -> Self {
                Self::$variant(value.into())
            }
        }

        impl From<Vec<$ty>> for OwnedValue {
            fn from(values: Vec<$ty>) -> Self {
                let items = values.into_iter().map(Self::from).collect();
                Self::Array { element: ValueType::$variant, items }
            }
        }
    )* };
}

owned_value! {
    U8(u8), I8(i8), U16(u16), I16(i16), U32(u32), I32(i32), F32(f32), Bool(bool), String(&str),
    String(String), U64(u64), I64(i64), F64(f64),
}
