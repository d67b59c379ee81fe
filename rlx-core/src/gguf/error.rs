//! What can be wrong with a GGUF file, and where in it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::types::{TensorType, TypeNumberError};
use super::value::ValueType;

/// Why a file cannot be read as GGUF.
#[derive(Debug, thiserror::Error)]
pub enum GgufError {
    /// The operating system cannot open or map the file.
    #[error("`{}` cannot be opened: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is open and is no GGUF file that this reader takes.
    #[error("`{}`: {error}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The field, the byte and the fault.
        error: Malformed,
    },
}

/// A field of a GGUF file that breaks the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} at byte {byte}: {fault}")]
pub struct Malformed {
    /// The field, with the key or the tensor that it belongs to: ``type of tensor `x` ``.
    pub field: String,
    /// Where the field begins, in bytes from the file's first.
    pub byte: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The file ends inside the field.
    #[error("takes {needed} bytes, {left} are left in the file")]
    Truncated {
        /// Bytes that the field takes.
        needed: u64,
        /// Bytes from the field's first to the end of the file.
        left: u64,
    },
    /// The file does not begin with `GGUF`.
    #[error("expected \"GGUF\", found \"{}\"", found.escape_ascii())]
    Magic {
        /// The first four bytes.
        found: [u8; 4],
    },
    /// The version reads sensibly only with its bytes swapped.
    #[error(
        "the file is big-endian (version {}), only little-endian is read", version.swap_bytes()
    )]
    BigEndian {
        /// The version as read in little-endian order.
        version: u32,
    },
    /// A version other than 2 and 3.
    #[error("version {version} is not read, only 2 and 3 are; convert the model again")]
    Version {
        /// The version.
        version: u32,
    },
    /// More items than the rest of the file can hold.
    #[error("claims {count} items of at least {least} bytes each, {left} bytes are left")]
    Count {
        /// Items claimed.
        count: u64,
        /// The least number of bytes that one takes.
        least: u64,
        /// Bytes from after the count to the end of the file.
        left: u64,
    },
    /// A string that is not UTF-8.
    #[error("not UTF-8 after {valid} bytes")]
    Utf8 {
        /// Bytes of the string before the first that is wrong.
        valid: u64,
    },
    /// A key or a tensor name that is too long.
    #[error("a name of {length} bytes, the limit is {limit}")]
    NameLength {
        /// Its bytes.
        length: u64,
        /// Bytes that a name may take.
        limit: u64,
    },
    /// A number that stands for no metadata value type.
    #[error("value type {number} is unknown")]
    ValueType {
        /// The number.
        number: u32,
    },
    /// A bool that is neither 0 nor 1.
    #[error("a bool of {found}, expected 0 or 1")]
    Bool {
        /// Its byte.
        found: u8,
    },
    /// Arrays nested too deep.
    #[error("arrays nested more than {limit} deep")]
    Depth {
        /// The greatest depth that is read.
        limit: usize,
    },
    /// A key that an earlier entry has.
    #[error("the key `{}` is that of entry {first} already", key.escape_debug())]
    DuplicateKey {
        /// The key.
        key: String,
        /// The earlier entry, from 0.
        first: usize,
    },
    /// `general.alignment` of another type than u32.
    #[error("expected u32, found {found}")]
    AlignmentType {
        /// Its type.
        found: ValueType,
    },
    /// `general.alignment` that is no power of two.
    #[error("an alignment of {found}, expected a power of two")]
    Alignment {
        /// The alignment.
        found: u32,
    },
    /// A tensor name that an earlier tensor has.
    #[error("the name `{}` is that of tensor {first} already", name.escape_debug())]
    DuplicateTensor {
        /// The name.
        name: String,
        /// The earlier tensor, from 0.
        first: usize,
    },
    /// More dims than ggml has.
    #[error("{found} dims, the limit is {limit}")]
    Rank {
        /// The number of dims.
        found: u64,
        /// The most that a tensor may have.
        limit: u64,
    },
    /// A dim of 0, so that the tensor would hold nothing.
    #[error("dim {axis} is 0")]
    ZeroDim {
        /// The dim, from 0, the fastest first.
        axis: usize,
    },
    /// Elements or bytes that 64 bits cannot count.
    #[error("{dims:?} elements of type {ty} overflow 64 bits")]
    Overflow {
        /// The dims, the fastest first.
        dims: Vec<u64>,
        /// The type.
        ty: TensorType,
    },
    /// A row that is no whole number of blocks.
    #[error("a row of {row} elements, {ty} has blocks of {}", ty.elems)]
    RowLength {
        /// Elements a row: dim 0.
        row: u64,
        /// The type.
        ty: TensorType,
    },
    /// A type number that no tensor may have.
    #[error(transparent)]
    TypeNumber(#[from] TypeNumberError),
    /// An offset that is no multiple of the alignment.
    #[error("an offset of {offset} is no multiple of the alignment {alignment}")]
    Misaligned {
        /// The offset from the data section's first byte.
        offset: u64,
        /// The file's alignment.
        alignment: u32,
    },
    /// A tensor whose bytes end after the file.
    #[error("{size} bytes from {offset} on, the data section (from byte {data}) has {length}")]
    PastEnd {
        /// The tensor's bytes.
        size: u64,
        /// Its offset from the data section's first byte.
        offset: u64,
        /// Where the data section begins in the file.
        data: u64,
        /// Bytes of the data section.
        length: u64,
    },
    /// Two tensors that share bytes.
    #[error(
        "{size} bytes from {offset} on overlap tensor `{}` from {next} on", other.escape_debug()
    )]
    Overlap {
        /// The tensor's bytes.
        size: u64,
        /// Its offset from the data section's first byte.
        offset: u64,
        /// The tensor that begins inside it.
        other: String,
        /// The other's offset.
        next: u64,
    },
    /// A Q2_0 tensor that has room only for the blocks of a fork.
    #[error(
        "{ty} of {size} bytes has only {room} bytes: blocks of 128 elements in 34 bytes, as a fork \
         writes them, and not of {} in {}", ty.elems, ty.bytes
    )]
    ForkBlocks {
        /// The type.
        ty: TensorType,
        /// Bytes that the tensor takes in ggml's blocks.
        size: u64,
        /// Bytes up to the next tensor or the end of the file.
        room: u64,
    },
}

/// Which field is being read; what [`Malformed::field`] is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field<'a> {
    Magic,
    Version,
    TensorCount,
    MetadataCount,
    Key(usize),
    ValueType(&'a str),
    Value(&'a str),
    ArrayType(&'a str),
    ArrayCount(&'a str),
    Element(&'a str, usize),
    TensorName(usize),
    Rank(&'a str),
    Dim(&'a str, usize),
    Dims(&'a str),
    Type(&'a str),
    Offset(&'a str),
}

impl Field<'_> {
    /// The error that this field, beginning at `byte`, has `fault`.
    pub(super) fn fault(self, byte: u64, fault: Fault) -> Malformed {
        Malformed {
            field: self.to_string(),
            byte,
            fault,
        }
    }
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("magic"),
            Self::Version => f.write_str("version"),
            Self::TensorCount => f.write_str("tensor count"),
            Self::MetadataCount => f.write_str("metadata count"),
            Self::Key(entry) => write!(f, "key of metadata entry {entry}"),
            Self::ValueType(key) => write!(f, "value type of `{}`", key.escape_debug()),
            Self::Value(key) => write!(f, "value of `{}`", key.escape_debug()),
            Self::ArrayType(key) => write!(f, "array element type of `{}`", key.escape_debug()),
            Self::ArrayCount(key) => write!(f, "array count of `{}`", key.escape_debug()),
            Self::Element(key, i) => write!(f, "element {i} of `{}`", key.escape_debug()),
            Self::TensorName(index) => write!(f, "name of tensor {index}"),
            Self::Rank(tensor) => write!(f, "number of dims of tensor `{}`", tensor.escape_debug()),
            Self::Dim(tensor, axis) => {
                write!(f, "dim {axis} of tensor `{}`", tensor.escape_debug())
            }
            Self::Dims(tensor) => write!(f, "dims of tensor `{}`", tensor.escape_debug()),
            Self::Type(tensor) => write!(f, "type of tensor `{}`", tensor.escape_debug()),
            Self::Offset(tensor) => write!(f, "offset of tensor `{}`", tensor.escape_debug()),
        }
    }
}
