//! Blocks that ggml's own decoder has decoded: raw blocks and the f32 values they stand for, and the
//! [`check`] that holds a backend to them.
//!
//! A set is an `index.json` that lists types, and two files for each: `<name>.blocks`, the raw
//! blocks, and `<name>.f32`, their values in little-endian order. One set is [embedded](Golden::embedded).

mod check;
mod embedded;
mod error;
mod index;

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use rlx_core::gguf::TensorType;
use rlx_kernels::FormatInfo;
use sha2::{Digest, Sha256};

pub use check::{Allowance, CheckError, Difference, Row, check};
pub use error::{Fault, GoldenError};
use index::{Entry, Index};

/// The file of a set that lists its types.
pub const INDEX: &str = "index.json";

/// A set of golden blocks.
#[derive(Clone, Debug)]
pub struct Golden {
    types: Vec<GoldenType>,
}

/// The golden blocks of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldenType {
    /// The type, as GGUF tools spell it: `Q4_K`.
    pub name: String,
    /// The number of the type in GGUF files.
    pub ggml_type: u32,
    /// Elements a block.
    pub elems: u32,
    /// Bytes a block.
    pub bytes: u32,
    /// The number of blocks.
    pub count: u64,
    /// The raw blocks, one after the other.
    pub blocks: Vec<u8>,
    /// What they decode to.
    pub values: Vec<f32>,
}

impl GoldenType {
    /// The format that decodes the type, where there is one.
    pub fn format(&self) -> Option<&'static FormatInfo> {
        kernel_specs::formats::by_ggml_type(self.ggml_type)
    }
}

impl Golden {
    /// The set that is part of this library: all 26 block formats of GGUF.
    ///
    /// # Errors
    /// [`GoldenError`] where a file was spoilt before the library was built.
    pub fn embedded() -> Result<Self, GoldenError> {
        Self::read(|file| {
            let bytes = embedded::file(file).ok_or(Fault::NotEmbedded)?;
            Ok(Cow::Borrowed(bytes))
        })
    }

    /// The set in a folder.
    ///
    /// # Errors
    /// [`GoldenError`] names the first file that cannot be read or does not hold what the index says,
    /// and what is wrong with it.
    pub fn load(folder: &Path) -> Result<Self, GoldenError> {
        Self::read(|file| Ok(Cow::Owned(std::fs::read(folder.join(file))?))).map_err(|error| {
            GoldenError {
                file: folder.join(error.file),
                fault: error.fault,
            }
        })
    }

    /// The types, in the order of the index.
    pub fn types(&self) -> &[GoldenType] {
        &self.types
    }

    /// The type of a number in GGUF files.
    pub fn by_ggml_type(&self, number: u32) -> Option<&GoldenType> {
        self.types.iter().find(|ty| ty.ggml_type == number)
    }

    /// The names of the types that no format decodes yet.
    pub fn unsupported(&self) -> Vec<&str> {
        let without = self.types.iter().filter(|ty| ty.format().is_none());
        without.map(|ty| ty.name.as_str()).collect()
    }

    fn read(file: impl Fn(&str) -> Result<Cow<'static, [u8]>, Fault>) -> Result<Self, GoldenError> {
        let open = |name: &str| file(name).map_err(|fault| fault.of(name));
        let index = open(INDEX)?;
        let index: Index =
            serde_json::from_slice(&index).map_err(|error| Fault::Json(error).of(INDEX))?;
        let mut names = HashSet::new();
        for entry in &index.types {
            entry.check().map_err(|fault| fault.of(INDEX))?;
            if !names.insert(entry.name.as_str()) {
                let name = entry.name.clone();
                return Err(Fault::Duplicate { name }.of(INDEX));
            }
        }
        let types = index.types.iter().map(|entry| read_type(entry, open));
        types.collect::<Result<_, _>>().map(|types| Self { types })
    }
}

fn read_type(
    entry: &Entry,
    open: impl Fn(&str) -> Result<Cow<'static, [u8]>, GoldenError>,
) -> Result<GoldenType, GoldenError> {
    let blocks_file = format!("{}.blocks", entry.name);
    let blocks = open(&blocks_file)?;
    entry
        .check_blocks(&blocks)
        .map_err(|fault| fault.of(&blocks_file))?;
    if let Some(expected) = &entry.sha256_blocks {
        let found = hex(&Sha256::digest(&blocks));
        if !expected.eq_ignore_ascii_case(&found) {
            let expected = expected.clone();
            return Err(Fault::Sha256 { expected, found }.of(&blocks_file));
        }
    }
    let values_file = format!("{}.f32", entry.name);
    let values = open(&values_file)?;
    entry
        .check_values(&values)
        .map_err(|fault| fault.of(&values_file))?;
    let (values, _) = values.as_chunks();
    let name =
        TensorType::from_number(entry.ggml_type).map_or(entry.name.clone(), |ty| ty.name.into());
    Ok(GoldenType {
        name,
        ggml_type: entry.ggml_type,
        elems: entry.block_elems,
        bytes: entry.block_bytes,
        count: entry.blocks,
        blocks: blocks.into_owned(),
        values: values.iter().copied().map(f32::from_le_bytes).collect(),
    })
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_files_are_those_of_the_index() {
        let index: Index = serde_json::from_slice(embedded::file(INDEX).unwrap()).unwrap();
        let mut files = vec![INDEX.to_owned()];
        for entry in &index.types {
            files.extend(["blocks", "f32"].map(|ending| format!("{}.{ending}", entry.name)));
        }
        let mut embedded: Vec<_> = embedded::FILES.iter().map(|(name, _)| *name).collect();
        embedded.sort_unstable();
        files.sort_unstable();
        assert_eq!(embedded, files);
    }

    #[test]
    fn the_embedded_set_has_all_26_types_under_the_names_of_gguf_tools() {
        let golden = Golden::embedded().unwrap();
        assert_eq!(golden.types().len(), 26);
        let q4_k = golden.by_ggml_type(12).unwrap();
        assert_eq!((q4_k.name.as_str(), q4_k.count), ("Q4_K", 12));
        assert_eq!(q4_k.values.len(), 12 * 256);
    }

    #[test]
    fn every_golden_type_is_either_decoded_or_listed_as_unsupported() {
        let golden = Golden::embedded().unwrap();
        let decoded = golden.types().iter().filter(|ty| ty.format().is_some());
        assert_eq!(decoded.count() + golden.unsupported().len(), 26);
    }
}
