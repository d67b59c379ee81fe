//! Writes small GGUF files: models for tests, and files made of parts of others.

use std::collections::HashSet;
use std::io;

use super::cursor::NAME_LIMIT;
use super::error::Fault;
use super::metadata::{ALIGNMENT_KEY, DEFAULT_ALIGNMENT, check_alignment};
use super::owned::{OwnedValue, encode_string};
use super::tensor::{RANK_LIMIT, size_of};
use super::types::TensorType;
use super::value::{Value, ValueType};

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An entry that a reader would refuse.
    #[error("metadata key `{}`: {fault}", key.escape_debug())]
    Key {
        /// The key.
        key: String,
        /// What is wrong.
        fault: Fault,
    },
    /// An array of mixed types.
    #[error(
        "metadata key `{}`: element {index} is {found}, the array is of {expected}",
        key.escape_debug()
    )]
    Element {
        /// The key.
        key: String,
        /// The element, from 0.
        index: usize,
        /// The array's element type.
        expected: ValueType,
        /// The element's type.
        found: ValueType,
    },
    /// A tensor that a reader would refuse.
    #[error("tensor `{}`: {fault}", tensor.escape_debug())]
    Tensor {
        /// The tensor.
        tensor: String,
        /// What is wrong.
        fault: Fault,
    },
    /// Bytes that do not fill the tensor exactly.
    #[error("tensor `{}` takes {expected} bytes, {found} were given", tensor.escape_debug())]
    Bytes {
        /// The tensor.
        tensor: String,
        /// Bytes that its dims and type take.
        expected: u64,
        /// Bytes given.
        found: u64,
    },
    /// The destination refuses bytes.
    #[error("the GGUF file cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// A GGUF file (version 3) in the making. Each part is checked as it is added, by the rules of the
/// reader; entries and tensors keep the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct GgufWriter {
    metadata: Vec<(String, OwnedValue)>,
    keys: HashSet<String>,
    tensors: Vec<Part>,
    names: HashSet<String>,
    alignment: Option<u32>,
}

#[derive(Clone, Debug)]
struct Part {
    name: String,
    dims: Vec<u64>,
    ty: TensorType,
    bytes: Vec<u8>,
}

impl GgufWriter {
    /// A file without metadata and tensors, aligned to 32 bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry. The u32 of `general.alignment` is the alignment of the file.
    ///
    /// # Errors
    /// [`WriteError::Key`] or [`WriteError::Element`] where a reader would refuse the entry.
    pub fn metadata(
        &mut self,
        key: &str,
        value: impl Into<OwnedValue>,
    ) -> Result<&mut Self, WriteError> {
        let value = value.into();
        let refuse = |fault| WriteError::Key {
            key: key.to_owned(),
            fault,
        };
        check_length(key).map_err(refuse)?;
        value.check(key, 0)?;
        if self.keys.contains(key) {
            let first = self
                .metadata
                .iter()
                .position(|entry| entry.0 == key)
                .unwrap_or_default();
            return Err(refuse(Fault::DuplicateKey {
                key: key.to_owned(),
                first,
            }));
        }
        if key == ALIGNMENT_KEY {
            let alignment = match &value {
                OwnedValue::U32(alignment) => check_alignment(Value::U32(*alignment)),
                other => Err(Fault::AlignmentType {
                    found: other.value_type(),
                }),
            };
            self.alignment = Some(alignment.map_err(refuse)?);
        }
        self.keys.insert(key.to_owned());
        self.metadata.push((key.to_owned(), value));
        Ok(self)
    }

    /// Adds a tensor of `dims`, the fastest first, whose blocks are `bytes`.
    ///
    /// # Errors
    /// [`WriteError::Tensor`] where a reader would refuse it, [`WriteError::Bytes`] where `bytes`
    /// is not what `dims` and `ty` take.
    pub fn tensor(
        &mut self,
        name: &str,
        dims: &[u64],
        ty: TensorType,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<&mut Self, WriteError> {
        let bytes = bytes.into();
        let refuse = |fault| WriteError::Tensor {
            tensor: name.to_owned(),
            fault,
        };
        check_length(name).map_err(refuse)?;
        if self.names.contains(name) {
            let first = self
                .tensors
                .iter()
                .position(|part| part.name == name)
                .unwrap_or_default();
            return Err(refuse(Fault::DuplicateTensor {
                name: name.to_owned(),
                first,
            }));
        }
        if dims.len() > RANK_LIMIT {
            let (found, limit) = (dims.len() as u64, RANK_LIMIT as u64);
            return Err(refuse(Fault::Rank { found, limit }));
        }
        let (expected, found) = (size_of(dims, ty).map_err(refuse)?, bytes.len() as u64);
        if expected != found {
            return Err(WriteError::Bytes {
                tensor: name.to_owned(),
                expected,
                found,
            });
        }
        self.names.insert(name.to_owned());
        self.tensors.push(Part {
            name: name.to_owned(),
            dims: dims.to_vec(),
            ty,
            bytes,
        });
        Ok(self)
    }

    /// Writes the file. Each tensor, the last one too, is padded with zeros to the alignment.
    ///
    /// # Errors
    /// [`WriteError::Io`] where `out` refuses bytes.
    pub fn write_to(&self, mut out: impl io::Write) -> Result<(), WriteError> {
        let head = self.head();
        out.write_all(&head)?;
        self.pad(head.len() as u64, &mut out)?;
        for part in &self.tensors {
            out.write_all(&part.bytes)?;
            self.pad(part.bytes.len() as u64, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }

    /// Everything before the data section.
    fn head(&self) -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        out.extend(3_u32.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((self.metadata.len() as u64).to_le_bytes());
        for (key, value) in &self.metadata {
            encode_string(key, &mut out);
            out.extend(value.value_type().number().to_le_bytes());
            value.encode(&mut out);
        }
        let mut offset = 0;
        for part in &self.tensors {
            encode_string(&part.name, &mut out);
            out.extend((part.dims.len() as u32).to_le_bytes());
            out.extend(part.dims.iter().flat_map(|dim| dim.to_le_bytes()));
            out.extend(part.ty.number.to_le_bytes());
            out.extend(u64::to_le_bytes(offset));
            let size = part.bytes.len() as u64;
            offset += size + self.padding(size);
        }
        out
    }

    fn padding(&self, size: u64) -> u64 {
        let alignment = u64::from(self.alignment.unwrap_or(DEFAULT_ALIGNMENT));
        (alignment - size % alignment) % alignment
    }

    fn pad(&self, size: u64, out: &mut impl io::Write) -> io::Result<()> {
        io::copy(&mut io::Read::take(io::repeat(0), self.padding(size)), out)?;
        Ok(())
    }
}

fn check_length(name: &str) -> Result<(), Fault> {
    let length = name.len() as u64;
    if length > NAME_LIMIT {
        return Err(Fault::NameLength {
            length,
            limit: NAME_LIMIT,
        });
    }
    Ok(())
}
