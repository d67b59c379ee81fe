//! What can be wrong with a set of golden blocks.

use std::io;
use std::path::PathBuf;

use rlx_core::gguf::TensorType;

/// A file of a set that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("golden data `{}`: {fault}", file.display())]
pub struct GoldenError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    #[source]
    pub fault: Fault,
}

/// What is wrong with a file of a set.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The operating system cannot read it.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The index lists a type whose files were not built in.
    #[error("is not built in")]
    NotEmbedded,
    /// The index is no JSON of the expected form.
    #[error("is no index of golden types: {0}")]
    Json(#[source] serde_json::Error),
    /// A type's name would reach outside of the folder.
    #[error("type name `{}` is no plain file name", name.escape_debug())]
    Name {
        /// The name.
        name: String,
    },
    /// Two entries of the index have one name.
    #[error("lists type `{name}` twice")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// An entry with nothing to decode, or with more than can be counted.
    #[error(
        "type `{name}` has {blocks} blocks of {elems} elements in {bytes} bytes; each must be at least 1 \
         and the whole below 2^32"
    )]
    Extent {
        /// The type.
        name: String,
        /// Its blocks.
        blocks: u64,
        /// Elements a block.
        elems: u32,
        /// Bytes a block.
        bytes: u32,
    },
    /// Blocks of another layout than ggml's type of that number has.
    #[error(
        "type `{name}` has blocks of {elems} elements in {bytes} bytes, {} has {} in {}", ty.name, ty.elems, ty.bytes
    )]
    Layout {
        /// The type.
        name: String,
        /// Elements a block by the index.
        elems: u32,
        /// Bytes a block by the index.
        bytes: u32,
        /// ggml's type.
        ty: TensorType,
    },
    /// A file of raw blocks has another length than the index says.
    #[error("has {found} bytes, {blocks} blocks of {bytes} bytes take {expected}")]
    BlocksLength {
        /// Its bytes.
        found: u64,
        /// What the index makes of it.
        expected: u64,
        /// Blocks by the index.
        blocks: u64,
        /// Bytes a block by the index.
        bytes: u32,
    },
    /// A file of values has another length than the index says.
    #[error("has {found} bytes, {blocks} blocks of {elems} f32 values take {expected}")]
    ValuesLength {
        /// Its bytes.
        found: u64,
        /// What the index makes of it.
        expected: u64,
        /// Blocks by the index.
        blocks: u64,
        /// Elements a block by the index.
        elems: u32,
    },
    /// The contents are not those that the index was made for.
    #[error("has SHA-256 {found}, the index says {expected}")]
    Sha256 {
        /// The index's hash.
        expected: String,
        /// The file's.
        found: String,
    },
}

impl Fault {
    /// The error that `file` has this fault.
    pub(super) fn of(self, file: &str) -> GoldenError {
        GoldenError {
            file: file.into(),
            fault: self,
        }
    }
}
