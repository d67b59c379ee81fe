//! Metadata values: scalars, strings and arrays.

use std::fmt;

use super::array::Array;
use super::cursor::Cursor;
use super::error::{Fault, Field, Malformed};

/// The type of a metadata value (GGUF specification, `gguf_metadata_value_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// IEEE single.
    F32,
    /// One byte, 0 or 1.
    Bool,
    /// A 64-bit length and as many bytes of UTF-8.
    String,
    /// An element type, a 64-bit count and the elements.
    Array,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 64 bits.
    I64,
    /// IEEE double.
    F64,
}

impl ValueType {
    /// Every type; its place is its number in the file.
    pub const ALL: [Self; 13] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::F32,
        Self::Bool,
        Self::String,
        Self::Array,
        Self::U64,
        Self::I64,
        Self::F64,
    ];

    /// The type of a number in a GGUF file.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }

    /// The type's number in GGUF files.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Bytes of a value, or the least that one takes where [`Self::is_sized`] is false.
    pub(super) fn least_bytes(self) -> u64 {
        match self {
            Self::U8 | Self::I8 | Self::Bool => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 | Self::String => 8,
            Self::Array => 12,
        }
    }

    /// Whether all values of the type are equally long and all bit patterns are values.
    pub(super) fn is_sized(self) -> bool {
        !matches!(self, Self::Bool | Self::String | Self::Array)
    }

    pub(super) fn read(cursor: &mut Cursor<'_>, field: Field<'_>) -> Result<Self, Malformed> {
        let at = cursor.at();
        let number = cursor.u32(field)?;
        Self::from_number(number).ok_or_else(|| field.fault(at, Fault::ValueType { number }))
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Array => "array",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
        })
    }
}

/// A metadata value; strings and arrays borrow from the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
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
    String(&'a str),
    /// Values of one type.
    Array(Array<'a>),
    /// Unsigned, 64 bits.
    U64(u64),
    /// Signed, 64 bits.
    I64(i64),
    /// IEEE double.
    F64(f64),
}

impl<'a> Value<'a> {
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
            Self::Array(_) => ValueType::Array,
            Self::U64(_) => ValueType::U64,
            Self::I64(_) => ValueType::I64,
            Self::F64(_) => ValueType::F64,
        }
    }

    /// Reads and checks a value of `ty`, `depth` arrays down, which is `field` of `key`.
    pub(super) fn read(
        cursor: &mut Cursor<'a>,
        ty: ValueType,
        key: &str,
        field: Field<'_>,
        depth: usize,
    ) -> Result<Self, Malformed> {
        Ok(match ty {
            ValueType::U8 => Self::U8(u8::from_le_bytes(cursor.array(field)?)),
            ValueType::I8 => Self::I8(i8::from_le_bytes(cursor.array(field)?)),
            ValueType::U16 => Self::U16(u16::from_le_bytes(cursor.array(field)?)),
            ValueType::I16 => Self::I16(i16::from_le_bytes(cursor.array(field)?)),
            ValueType::U32 => Self::U32(u32::from_le_bytes(cursor.array(field)?)),
            ValueType::I32 => Self::I32(i32::from_le_bytes(cursor.array(field)?)),
            ValueType::F32 => Self::F32(f32::from_le_bytes(cursor.array(field)?)),
            ValueType::U64 => Self::U64(u64::from_le_bytes(cursor.array(field)?)),
            ValueType::I64 => Self::I64(i64::from_le_bytes(cursor.array(field)?)),
            ValueType::F64 => Self::F64(f64::from_le_bytes(cursor.array(field)?)),
            ValueType::Bool => {
                let at = cursor.at();
                match cursor.array(field)? {
                    [0] => Self::Bool(false),
                    [1] => Self::Bool(true),
                    [found] => return Err(field.fault(at, Fault::Bool { found })),
                }
            }
            ValueType::String => Self::String(cursor.string(field)?),
            ValueType::Array => Self::Array(Array::read(cursor, key, depth + 1)?),
        })
    }

    /// The value of type `ty` that `bytes`, which [`Self::read`] has passed, are exactly. Unlike
    /// `read` it does not walk an array to find its end.
    pub(super) fn of(ty: ValueType, bytes: &'a [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(bytes);
        if ty == ValueType::Array {
            return Array::head(&mut cursor, "").ok().map(Self::Array);
        }
        Self::read(&mut cursor, ty, "", Field::Value(""), 0).ok()
    }
}

/// A Rust type that values of one [`ValueType`] are read as. No number is converted: a u64 is not
/// read as a u32, even one that would fit.
pub trait FromValue<'a>: Sized {
    /// The type of the values.
    const TYPE: ValueType;

    /// The value; `None` where it is not of [`Self::TYPE`].
    fn from_value(value: Value<'a>) -> Option<Self>;
}

macro_rules! from_value {
    ($($variant:ident($ty:ty)),* $(,)?) => { $(
        impl<'a> FromValue<'a> for $ty {
            const TYPE: ValueType = ValueType::$variant;

            fn from_value(value: Value<'a>) -> Option<Self> {
                match value {
                    Value::$variant(value) => Some(value),
                    _ => None,
                }
            }
        }
    )* };
}

from_value! {
    U8(u8), I8(i8), U16(u16), I16(i16), U32(u32), I32(i32), F32(f32), Bool(bool), String(&'a str),
    Array(Array<'a>), U64(u64), I64(i64), F64(f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_each_type_in_the_table_is_its_number() {
        for (number, ty) in ValueType::ALL.iter().enumerate() {
            assert_eq!(ty.number() as usize, number, "{ty}");
        }
        assert_eq!(ValueType::from_number(12), Some(ValueType::F64));
        assert_eq!(ValueType::from_number(13), None);
    }

    #[test]
    fn each_scalar_reads_its_little_endian_bytes() {
        let read = |ty, bytes: &'static [u8]| Value::of(ty, bytes).unwrap();
        assert_eq!(read(ValueType::U8, &[200]), Value::U8(200));
        assert_eq!(read(ValueType::I8, &[0xff]), Value::I8(-1));
        assert_eq!(read(ValueType::U16, &[1, 2]), Value::U16(513));
        assert_eq!(read(ValueType::I16, &[0xfe, 0xff]), Value::I16(-2));
        assert_eq!(read(ValueType::U32, &[1, 2, 3, 4]), Value::U32(0x0403_0201));
        assert_eq!(
            read(ValueType::I32, &[0xfd, 0xff, 0xff, 0xff]),
            Value::I32(-3)
        );
        assert_eq!(read(ValueType::F32, &[0, 0, 0xc0, 0x3f]), Value::F32(1.5));
        assert_eq!(read(ValueType::Bool, &[1]), Value::Bool(true));
        assert_eq!(
            read(ValueType::U64, &[1, 0, 0, 0, 0, 0, 0, 0x80]),
            Value::U64((1 << 63) + 1)
        );
        assert_eq!(read(ValueType::I64, &[0xff; 8]), Value::I64(-1));
        assert_eq!(
            read(ValueType::F64, &[0, 0, 0, 0, 0, 0, 0xe0, 0xbf]),
            Value::F64(-0.5)
        );
        let text = [2, 0, 0, 0, 0, 0, 0, 0, b'h', b'i'];
        assert_eq!(
            Value::of(ValueType::String, &text),
            Some(Value::String("hi"))
        );
    }
}
