use proptest::prelude::*;

use super::super::{Array, GgufFile, Value};
use super::{Raw, sample};

const WORDS: [u64; 12] = [
    u64::MAX,
    u64::MAX - 31,
    1 << 63,
    (1 << 63) - 1,
    1 << 62,
    1 << 60,
    1 << 40,
    1 << 32,
    u32::MAX as u64,
    1 << 31,
    1,
    0,
];

/// Bytes before the data section, which nothing interprets.
fn head_length(whole: &[u8]) -> usize {
    let file = GgufFile::parse(whole.to_vec()).unwrap();
    let data: u64 = file
        .tensors()
        .iter()
        .map(|t| t.size().next_multiple_of(32))
        .sum();
    whole.len() - data as usize
}

fn walk_array(array: Array<'_>) -> usize {
    let mut count = 0;
    for value in array {
        count += 1 + if let Value::Array(inner) = value {
            walk_array(inner)
        } else {
            0
        };
    }
    count
}

/// Parses; where that succeeds reads everything, and checks that what is held is bounded by the
/// bytes of the file and that every accessor keeps its word.
fn read_all(bytes: Vec<u8>) {
    let length = bytes.len();
    let file = match GgufFile::parse(bytes) {
        Ok(file) => file,
        Err(error) => {
            assert!(error.byte <= length as u64, "{error}");
            assert!(error.to_string().len() < 4 * length + 400, "{error}");
            return;
        }
    };
    assert!(file.metadata().len() <= length / 13);
    assert!(file.tensors().len() <= length / 24);
    assert_eq!(file.metadata().iter().count(), file.metadata().len());
    for (key, value) in file.metadata().iter() {
        assert_eq!(
            file.metadata().get(key).map(|v| v.value_type()),
            Some(value.value_type())
        );
        if let Value::Array(array) = value {
            assert!(walk_array(array) <= length);
            assert_eq!(array.iter().count(), array.len());
        }
    }
    for tensor in file.tensors() {
        assert_eq!(file.tensor_bytes(tensor).len() as u64, tensor.size());
        assert!(tensor.size() <= length as u64);
    }
}

#[test]
fn a_bad_word_at_any_byte_neither_panics_nor_is_believed() {
    let whole = sample();
    for at in 0..head_length(&whole) {
        for word in WORDS {
            for width in [4, 8] {
                let mut bytes = whole.clone();
                bytes[at..at + width].copy_from_slice(&word.to_le_bytes()[..width]);
                read_all(bytes);
            }
        }
    }
}

#[test]
fn each_bit_flipped_neither_panics_nor_is_believed() {
    let whole = sample();
    for bit in 0..head_length(&whole) * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        read_all(bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn random_bytes_written_over_a_file_never_panic(
        writes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24),
    ) {
        let mut bytes = sample();
        for (at, value) in writes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        read_all(bytes);
    }

    #[test]
    fn random_words_written_over_a_file_never_panic(
        writes in prop::collection::vec((any::<prop::sample::Index>(), 0..WORDS.len()), 1..6),
    ) {
        let mut bytes = sample();
        for (at, word) in writes {
            let at = at.index(bytes.len() - 8);
            bytes[at..at + 8].copy_from_slice(&WORDS[word].to_le_bytes());
        }
        read_all(bytes);
    }

    #[test]
    fn random_bytes_after_a_head_never_panic(
        tensors in 0_u64..4,
        entries in 0_u64..4,
        tail in prop::collection::vec(
            prop_oneof![4 => Just(0_u8), 2 => 0_u8..14, 1 => any::<u8>()],
            0..300,
        ),
    ) {
        read_all(Raw::head(tensors, entries).bytes(&tail).0);
    }
}
