//! The key-value pairs of a file, in its order.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::array::Array;
use super::cursor::Cursor;
use super::error::{Fault, Field, Malformed};
use super::value::{FromValue, Value, ValueType};

/// The key of the alignment of the data section and of each tensor in it.
pub const ALIGNMENT_KEY: &str = "general.alignment";

/// The alignment of a file without [`ALIGNMENT_KEY`].
pub const DEFAULT_ALIGNMENT: u32 = 32;

/// The least bytes that an entry takes: a key's length, a value type and a value of one byte.
pub(super) const ENTRY_LEAST: u64 = 8 + 4 + 1;

/// Why a value cannot be had as the type asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// No entry has the key.
    #[error("metadata has no key `{}`, expected {expected}", key.escape_debug())]
    Missing {
        /// The key.
        key: String,
        /// What was asked for.
        expected: ValueKind,
    },
    /// The entry holds something else.
    #[error(
        "metadata key `{}` at byte {byte}: expected {expected}, found {found}", key.escape_debug()
    )]
    Type {
        /// The key.
        key: String,
        /// Where the value begins, in bytes from the file's first.
        byte: u64,
        /// What was asked for.
        expected: ValueKind,
        /// What the file has.
        found: ValueKind,
    },
}

/// What a value is, with the element type of an array where it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A value of this type.
    One(ValueType),
    /// An array of such values.
    ArrayOf(ValueType),
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(ty) => write!(f, "{ty}"),
            Self::ArrayOf(ty) => write!(f, "array of {ty}"),
        }
    }
}

/// Where each entry lies.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    by_key: HashMap<Arc<str>, usize>,
}

#[derive(Debug)]
struct Entry {
    key: Arc<str>,
    ty: ValueType,
    value: Range<usize>,
}

impl Table {
    pub(super) fn read(cursor: &mut Cursor<'_>, count: usize) -> Result<Self, Malformed> {
        let mut table = Self::default();
        for index in 0..count {
            table.read_entry(cursor, index)?;
        }
        Ok(table)
    }

    fn read_entry(&mut self, cursor: &mut Cursor<'_>, index: usize) -> Result<(), Malformed> {
        let key_at = cursor.at();
        let name = cursor.name(Field::Key(index))?;
        let key: Arc<str> = name.into();
        match self.by_key.entry(Arc::clone(&key)) {
            Slot::Vacant(slot) => slot.insert(index),
            Slot::Occupied(slot) => {
                let fault = Fault::DuplicateKey {
                    key: name.to_owned(),
                    first: *slot.get(),
                };
                return Err(Field::Key(index).fault(key_at, fault));
            }
        };
        let type_at = cursor.at();
        let ty = ValueType::read(cursor, Field::ValueType(name))?;
        let start = cursor.at();
        let value = Value::read(cursor, ty, name, Field::Value(name), 0)?;
        if name == ALIGNMENT_KEY {
            check_alignment(value).map_err(|fault| match fault {
                Fault::AlignmentType { .. } => Field::ValueType(name).fault(type_at, fault),
                fault => Field::Value(name).fault(start, fault),
            })?;
        }
        // Positions come from a slice in memory, so they fit `usize`.
        self.entries.push(Entry {
            key,
            ty,
            value: start as usize..cursor.at() as usize,
        });
        Ok(())
    }
}

/// The alignment that a value of [`ALIGNMENT_KEY`] stands for.
pub(super) fn check_alignment(value: Value<'_>) -> Result<u32, Fault> {
    match value {
        Value::U32(alignment) if alignment.is_power_of_two() => Ok(alignment),
        Value::U32(found) => Err(Fault::Alignment { found }),
        other => Err(Fault::AlignmentType {
            found: other.value_type(),
        }),
    }
}

/// The metadata of a file, in its order.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'a> {
    bytes: &'a [u8],
    table: &'a Table,
}

impl<'a> Metadata<'a> {
    pub(super) fn new(bytes: &'a [u8], table: &'a Table) -> Self {
        Self { bytes, table }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.table.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.table.entries.is_empty()
    }

    /// Keys and values, in the file's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> + use<'a> {
        let Self { bytes, table } = *self;
        table
            .entries
            .iter()
            .filter_map(move |entry| Some((&*entry.key, entry.value(bytes)?)))
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.entry(key)?.value(self.bytes)
    }

    /// The u32 of `key`.
    ///
    /// # Errors
    /// [`MetadataError`] where there is none, or a value of another type.
    pub fn u32(&self, key: &str) -> Result<u32, MetadataError> {
        self.value(key)
    }

    /// The i32 of `key`.
    ///
    /// # Errors
    /// [`MetadataError`] where there is none, or a value of another type.
    pub fn i32(&self, key: &str) -> Result<i32, MetadataError> {
        self.value(key)
    }

    /// The u64 of `key`.
    ///
    /// # Errors
    /// [`MetadataError`] where there is none, or a value of another type.
    pub fn u64(&self, key: &str) -> Result<u64, MetadataError> {
        self.value(key)
    }

    /// The f32 of `key`.
    ///
    /// # Errors
    /// [`MetadataError`] where there is none, or a value of another type.
    pub fn f32(&self, key: &str) -> Result<f32, MetadataError> {
        self.value(key)
    }

    /// The bool of `key`.
    ///
    /// # Errors
    /// [`MetadataError`] where there is none, or a value of another type.
    pub fn bool(&self, key: &str) -> Result<bool, MetadataError> {
        self.value(key)
    }

    /// The string of `key`.
    ///
    /// # Errors
    /// [`MetadataError`] where there is none, or a value of another type.
    pub fn string(&self, key: &str) -> Result<&'a str, MetadataError> {
        self.value(key)
    }

    /// The array of `key`, of any element type.
    ///
    /// # Errors
    /// [`MetadataError`] where there is none, or a value of another type.
    pub fn array(&self, key: &str) -> Result<Array<'a>, MetadataError> {
        self.value(key)
    }

    /// The elements of the array of `key`, each a `T`.
    ///
    /// # Errors
    /// [`MetadataError`] where there is none, a value of another type or an array of other
    /// elements.
    pub fn values<T: FromValue<'a>>(
        &self,
        key: &str,
    ) -> Result<impl Iterator<Item = T> + use<'a, T>, MetadataError> {
        let expected = ValueKind::ArrayOf(T::TYPE);
        self.demand(key, expected, |value| match value {
            Value::Array(array) => array.values(),
            _ => None,
        })
    }

    /// The value of `key` as a `T`, `None` where no entry has the key.
    ///
    /// # Errors
    /// [`MetadataError::Type`] where the value is of another type.
    pub fn optional<T: FromValue<'a>>(&self, key: &str) -> Result<Option<T>, MetadataError> {
        if self.entry(key).is_none() {
            return Ok(None);
        }
        self.value(key).map(Some)
    }

    /// The value of `key` as a `T`.
    ///
    /// # Errors
    /// [`MetadataError`] where there is none, or a value of another type.
    pub fn value<T: FromValue<'a>>(&self, key: &str) -> Result<T, MetadataError> {
        self.demand(key, ValueKind::One(T::TYPE), T::from_value)
    }

    fn demand<T>(
        &self,
        key: &str,
        expected: ValueKind,
        convert: impl FnOnce(Value<'a>) -> Option<T>,
    ) -> Result<T, MetadataError> {
        let found = self
            .entry(key)
            .and_then(|entry| Some((entry, entry.value(self.bytes)?)));
        let Some((entry, value)) = found else {
            return Err(MetadataError::Missing {
                key: key.to_owned(),
                expected,
            });
        };
        convert(value).ok_or_else(|| {
            let found = match value {
                Value::Array(array) => ValueKind::ArrayOf(array.element_type()),
                other => ValueKind::One(other.value_type()),
            };
            let byte = entry.value.start as u64;
            MetadataError::Type {
                key: key.to_owned(),
                byte,
                expected,
                found,
            }
        })
    }

    fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.table
            .by_key
            .get(key)
            .and_then(|index| self.table.entries.get(*index))
    }
}

impl Entry {
    /// `None` never happens over the bytes that were read: each value was checked then.
    fn value<'a>(&self, bytes: &'a [u8]) -> Option<Value<'a>> {
        Value::of(self.ty, bytes.get(self.value.clone())?)
    }
}
