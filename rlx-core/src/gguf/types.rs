//! The tensor types of ggml: one table of what a block of each holds.

use std::fmt;

/// A tensor type of GGUF files: blocks of [`Self::elems`] elements in [`Self::bytes`] bytes.
/// Numbers and blocks are those of ggml's `enum ggml_type` and its type traits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// The number of the type in GGUF files.
    pub number: u32,
    /// The name, as GGUF tools spell it: `Q4_K`.
    pub name: &'static str,
    /// Elements a block.
    pub elems: u32,
    /// Bytes a block.
    pub bytes: u32,
}

/// Why a type number names no type that a file may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypeNumberError {
    /// ggml has no type of this number.
    #[error("type number {number} is unknown")]
    Unknown {
        /// The number.
        number: u32,
    },
    /// ggml had this type once and reads it no more.
    #[error("type number {number} ({name}) was removed from ggml; quantise the model again")]
    Removed {
        /// The number.
        number: u32,
        /// The type it was.
        name: &'static str,
    },
}

const fn row(number: u32, name: &'static str, elems: u32, bytes: u32) -> TensorType {
    TensorType {
        number,
        name,
        elems,
        bytes,
    }
}

const REMOVED: &[(u32, &str)] = &[
    (4, "Q4_2"),
    (5, "Q4_3"),
    (31, "Q4_0_4_4"),
    (32, "Q4_0_4_8"),
    (33, "Q4_0_8_8"),
    (36, "IQ4_NL_4_4"),
    (37, "IQ4_NL_4_8"),
    (38, "IQ4_NL_8_8"),
];

impl TensorType {
    /// Every type, by number.
    pub const ALL: &'static [Self] = &[
        row(0, "F32", 1, 4),
        row(1, "F16", 1, 2),
        row(2, "Q4_0", 32, 18),
        row(3, "Q4_1", 32, 20),
        row(6, "Q5_0", 32, 22),
        row(7, "Q5_1", 32, 24),
        row(8, "Q8_0", 32, 34),
        row(9, "Q8_1", 32, 36),
        row(10, "Q2_K", 256, 84),
        row(11, "Q3_K", 256, 110),
        row(12, "Q4_K", 256, 144),
        row(13, "Q5_K", 256, 176),
        row(14, "Q6_K", 256, 210),
        row(15, "Q8_K", 256, 292),
        row(16, "IQ2_XXS", 256, 66),
        row(17, "IQ2_XS", 256, 74),
        row(18, "IQ3_XXS", 256, 98),
        row(19, "IQ1_S", 256, 50),
        row(20, "IQ4_NL", 32, 18),
        row(21, "IQ3_S", 256, 110),
        row(22, "IQ2_S", 256, 82),
        row(23, "IQ4_XS", 256, 136),
        row(24, "I8", 1, 1),
        row(25, "I16", 1, 2),
        row(26, "I32", 1, 4),
        row(27, "I64", 1, 8),
        row(28, "F64", 1, 8),
        row(29, "IQ1_M", 256, 56),
        row(30, "BF16", 1, 2),
        row(34, "TQ1_0", 256, 54),
        row(35, "TQ2_0", 256, 66),
        row(39, "MXFP4", 32, 17),
        row(40, "NVFP4", 64, 36),
        row(41, "Q1_0", 128, 18),
        row(42, "Q2_0", 64, 18),
    ];

    /// The type of a number in a GGUF file.
    ///
    /// # Errors
    /// [`TypeNumberError`] where ggml has no such type or has it no more.
    pub fn from_number(number: u32) -> Result<Self, TypeNumberError> {
        if let Some(found) = Self::ALL.iter().find(|each| each.number == number) {
            return Ok(*found);
        }
        match REMOVED.iter().find(|(removed, _)| *removed == number) {
            Some(&(number, name)) => Err(TypeNumberError::Removed { number, name }),
            None => Err(TypeNumberError::Unknown { number }),
        }
    }

    /// The type of a name, in the table's spelling: `Q4_K`, `IQ2_XXS`, `F16`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|each| each.name == name).copied()
    }

    /// Bytes of `elems` elements; `None` where they are no whole number of blocks or overflow.
    pub fn size_of(self, elems: u64) -> Option<u64> {
        let block = u64::from(self.elems);
        if !elems.is_multiple_of(block) {
            return None;
        }
        (elems / block).checked_mul(u64::from(self.bytes))
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_43_is_a_type_or_removed_and_is_listed_once() {
        for number in 0..43 {
            let types = TensorType::ALL
                .iter()
                .filter(|each| each.number == number)
                .count();
            let removed = REMOVED.iter().filter(|each| each.0 == number).count();
            assert_eq!(types + removed, 1, "type number {number}");
        }
        assert_eq!(TensorType::ALL.len() + REMOVED.len(), 43);
    }

    #[test]
    fn every_type_is_found_by_its_number_and_by_its_name() {
        for each in TensorType::ALL {
            assert_eq!(TensorType::from_number(each.number), Ok(*each));
            assert_eq!(TensorType::from_name(each.name), Some(*each));
        }
        assert_eq!(TensorType::from_name("q4_k"), None);
    }

    #[test]
    fn removed_numbers_are_called_removed_and_others_unknown() {
        for number in [4, 5, 31, 32, 33, 36, 37, 38] {
            let error = TensorType::from_number(number).unwrap_err();
            assert!(matches!(error, TypeNumberError::Removed { .. }), "{error}");
        }
        for number in [43, 99, u32::MAX] {
            let error = TensorType::from_number(number).unwrap_err();
            assert_eq!(error, TypeNumberError::Unknown { number });
        }
    }

    #[test]
    fn size_of_counts_whole_blocks_and_refuses_overflow() {
        let q4_k = TensorType::from_name("Q4_K").unwrap();
        assert_eq!(q4_k.size_of(0), Some(0));
        assert_eq!(q4_k.size_of(512), Some(288));
        assert_eq!(q4_k.size_of(100), None);
        let f64_type = TensorType::from_name("F64").unwrap();
        assert_eq!(f64_type.size_of(u64::MAX), None);
    }
}
