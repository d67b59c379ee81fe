//! Reads GGUF files (versions 2 and 3, little-endian) over a memory map, and writes small ones.
//!
//! Nothing that a file claims is believed: each length, count, offset and type is checked against
//! the bytes that are there before it is used, and [`Malformed`] names the field and the byte. The
//! format is that of the GGUF specification in ggml's documentation.

mod array;
mod cursor;
mod error;
mod map;
mod metadata;
mod owned;
mod tensor;
mod types;
mod value;
mod weights;
mod writer;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;

use cursor::Cursor;
use error::Field;
use metadata::Table;
use tensor::Tensors;

pub use array::{ARRAY_DEPTH_LIMIT, Array, ArrayIter};
pub use error::{Fault, GgufError, Malformed};
pub use metadata::{ALIGNMENT_KEY, DEFAULT_ALIGNMENT, Metadata, MetadataError, ValueKind};
pub use owned::OwnedValue;
pub use tensor::{RANK_LIMIT, Tensor};
pub use types::{TensorType, TypeNumberError};
pub use value::{FromValue, Value, ValueType};
pub use writer::{GgufWriter, WriteError};

/// A GGUF file whose head has been read and checked; the tensors' bytes stay where they are.
pub struct GgufFile {
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
    version: u32,
    alignment: u32,
    /// Where the data section begins, in bytes from the file's first.
    data: u64,
    metadata: Table,
    tensors: Tensors,
}

impl GgufFile {
    /// Maps and reads a file. It must not be written or truncated by anybody while the map lives:
    /// a read past a new end stops the process.
    ///
    /// # Errors
    /// [`GgufError::Io`] where the file cannot be mapped, [`GgufError::Malformed`] where a field
    /// breaks the format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GgufError> {
        let path = path.as_ref();
        let map = map::map(path).map_err(|source| GgufError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(map).map_err(|error| GgufError::Malformed {
            path: path.to_owned(),
            error,
        })
    }

    /// Reads a file that is in memory, in whatever owns its bytes.
    ///
    /// # Errors
    /// [`Malformed`] where a field breaks the format.
    pub fn parse(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes.as_ref());
        let version = read_version(&mut cursor)?;
        let tensors_at = cursor.at();
        let tensors = cursor.u64(Field::TensorCount)?;
        let entries = cursor.count(metadata::ENTRY_LEAST, Field::MetadataCount)?;
        let tensors =
            cursor.check_count(tensors, tensor::ENTRY_LEAST, tensors_at, Field::TensorCount)?;
        let metadata = Table::read(&mut cursor, entries)?;
        let tensors = Tensors::read(&mut cursor, tensors)?;

        let alignment = match Metadata::new(bytes.as_ref(), &metadata).get(ALIGNMENT_KEY) {
            Some(Value::U32(alignment)) => alignment,
            _ => DEFAULT_ALIGNMENT,
        };
        let data = cursor.at().next_multiple_of(u64::from(alignment));
        let length = (cursor.at() + cursor.left()).saturating_sub(data);
        tensors.check(alignment, data, length)?;
        Ok(Self {
            bytes: Box::new(bytes),
            version,
            alignment,
            data,
            metadata,
            tensors,
        })
    }

    /// The version of the format: 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The alignment of the data section and of each tensor in it, in bytes.
    pub fn alignment(&self) -> u32 {
        self.alignment
    }

    /// Keys and values.
    pub fn metadata(&self) -> Metadata<'_> {
        Metadata::new(self.bytes(), &self.metadata)
    }

    /// The tensors, in the file's order.
    pub fn tensors(&self) -> &[Tensor] {
        self.tensors.list()
    }

    /// The tensor of a name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.get(name)
    }

    /// The blocks of one of this file's tensors, [`Tensor::size`] bytes. Nothing for a tensor of
    /// another file that this one does not have at the same place.
    pub fn tensor_bytes(&self, tensor: &Tensor) -> &[u8] {
        if self.tensor(tensor.name()) != Some(tensor) {
            return &[];
        }
        // Within the file, as `Tensors::check` found, and so within `usize`.
        let start = (self.data + tensor.offset()) as usize;
        self.bytes()
            .get(start..start + tensor.size() as usize)
            .unwrap_or_default()
    }

    fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }
}

impl fmt::Debug for GgufFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GgufFile")
            .field("version", &self.version)
            .field("alignment", &self.alignment)
            .field("data", &self.data)
            .field("bytes", &self.bytes().len())
            .field("metadata", &self.metadata().len())
            .field("tensors", &self.tensors().len())
            .finish()
    }
}

fn read_version(cursor: &mut Cursor<'_>) -> Result<u32, Malformed> {
    let found = cursor.array(Field::Magic)?;
    if &found != b"GGUF" {
        return Err(Field::Magic.fault(0, Fault::Magic { found }));
    }
    let at = cursor.at();
    let version = cursor.u32(Field::Version)?;
    match version {
        2 | 3 => Ok(version),
        // The test of ggml's own reader: no version is that large, and each is with its bytes
        // swapped.
        _ if version != 0 && version.trailing_zeros() >= 16 => {
            Err(Field::Version.fault(at, Fault::BigEndian { version }))
        }
        _ => Err(Field::Version.fault(at, Fault::Version { version })),
    }
}
