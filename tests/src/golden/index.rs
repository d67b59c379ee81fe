//! The index of a set: which types it has, and what their files must hold.

use rlx_core::gguf::TensorType;
use serde::Deserialize;

use super::error::Fault;

#[derive(Debug, Deserialize)]
pub(super) struct Index {
    pub types: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub name: String,
    pub ggml_type: u32,
    pub block_elems: u32,
    pub block_bytes: u32,
    pub blocks: u64,
    pub sha256_blocks: Option<String>,
}

impl Entry {
    /// Checks what the entry says by itself.
    pub fn check(&self) -> Result<(), Fault> {
        let name = self.name.clone();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(plain) {
            return Err(Fault::Name { name });
        }
        let (blocks, elems, bytes) = (self.blocks, self.block_elems, self.block_bytes);
        let fits = |a: u32| {
            blocks
                .checked_mul(u64::from(a))
                .is_some_and(|product| (1..1 << 32).contains(&product))
        };
        if !fits(elems) || !fits(bytes) {
            return Err(Fault::Extent {
                name,
                blocks,
                elems,
                bytes,
            });
        }
        match TensorType::from_number(self.ggml_type) {
            Ok(ty) if (ty.elems, ty.bytes) != (elems, bytes) => Err(Fault::Layout {
                name,
                elems,
                bytes,
                ty,
            }),
            // Types that ggml does not have are listed as unsupported.
            _ => Ok(()),
        }
    }

    /// Checks the length of the raw blocks.
    pub fn check_blocks(&self, contents: &[u8]) -> Result<(), Fault> {
        let (found, blocks, bytes) = (contents.len() as u64, self.blocks, self.block_bytes);
        let expected = blocks * u64::from(bytes);
        if found == expected {
            return Ok(());
        }
        Err(Fault::BlocksLength {
            found,
            expected,
            blocks,
            bytes,
        })
    }

    /// Checks the length of the values.
    pub fn check_values(&self, contents: &[u8]) -> Result<(), Fault> {
        let (found, blocks, elems) = (contents.len() as u64, self.blocks, self.block_elems);
        let expected = blocks * u64::from(elems) * 4;
        if found == expected {
            return Ok(());
        }
        Err(Fault::ValuesLength {
            found,
            expected,
            blocks,
            elems,
        })
    }
}
