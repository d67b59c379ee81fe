use std::fs;
use std::sync::Arc;

use super::super::{
    GgufError, GgufFile, GgufWriter, MetadataError, OwnedValue, Value, ValueKind, ValueType,
    WriteError,
};
use super::{Raw, counting, sample, sample_metadata, tensor_type};

/// Version 2, one entry `a.b` = 7u32, one tensor `w`: two F16 elements at offset 0.
const LITERAL: &[u8] = &[
    b'G', b'G', b'U', b'F', 2, 0, 0, 0, // magic, version
    1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, // tensors, entries
    3, 0, 0, 0, 0, 0, 0, 0, b'a', b'.', b'b', 4, 0, 0, 0, 7, 0, 0, 0, // entry
    1, 0, 0, 0, 0, 0, 0, 0, b'w', 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, // name, dims
    1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // type, offset
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // padding from 76 to 96
    0x00, 0x3c, 0x00, 0xc0, // data
];

#[test]
fn a_literal_version_2_file_reads_as_what_its_bytes_say() {
    let file = GgufFile::parse(LITERAL).unwrap();
    assert_eq!((file.version(), file.alignment()), (2, 32));
    assert_eq!(
        file.metadata().iter().collect::<Vec<_>>(),
        [("a.b", Value::U32(7))]
    );
    let [tensor] = file.tensors() else {
        panic!("one tensor")
    };
    assert_eq!(
        (tensor.name(), tensor.dims(), tensor.offset()),
        ("w", &[2][..], 0)
    );
    assert_eq!(
        (tensor.tensor_type().name, tensor.elems(), tensor.size()),
        ("F16", 2, 4)
    );
    assert_eq!(file.tensor_bytes(tensor), [0x00, 0x3c, 0x00, 0xc0]);
}

#[test]
fn what_the_writer_wrote_reads_back_in_order() {
    let file = GgufFile::parse(sample()).unwrap();
    assert_eq!(file.version(), 3);
    let read: Vec<(&str, OwnedValue)> = file
        .metadata()
        .iter()
        .map(|(key, value)| (key, value.into()))
        .collect();
    assert_eq!(read, sample_metadata());
    let tensors: Vec<_> = file
        .tensors()
        .iter()
        .map(|t| (t.name(), t.dims(), t.offset()))
        .collect();
    let expected: [(&str, &[u64], u64); 4] = [
        ("embed", &[4, 2], 0),
        ("blk.0.q", &[256, 1, 2], 32),
        ("blk.0.s", &[], 320),
        ("blk.0.t", &[64, 16], 352),
    ];
    assert_eq!(tensors, expected);
    let scale = file.tensor("blk.0.s").unwrap();
    assert_eq!((scale.elems(), file.tensor_bytes(scale)), (1, &[2, 3][..]));
    let last = file.tensor("blk.0.t").unwrap();
    assert_eq!(file.tensor_bytes(last), counting(3, 288));
    assert_eq!(file.tensor("blk.0"), None);
}

#[test]
fn a_mapped_file_reads_like_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    fs::write(&path, sample()).unwrap();
    let file = GgufFile::open(&path).unwrap();
    assert_eq!(file.metadata().string("general.architecture"), Ok("llama"));
    let tensor = file.tensor("blk.0.q").unwrap();
    assert_eq!(file.tensor_bytes(tensor), counting(1, 288));
}

#[test]
fn open_names_the_file_that_is_missing_or_empty_or_cut() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    let error = GgufFile::open(&path).unwrap_err();
    assert!(matches!(error, GgufError::Io { .. }), "{error}");
    assert!(
        error.to_string().contains("model.gguf` cannot be opened: "),
        "{error}"
    );
    fs::write(&path, []).unwrap();
    let error = GgufFile::open(&path).unwrap_err().to_string();
    assert!(error.ends_with("model.gguf`: magic at byte 0: takes 4 bytes, 0 are left in the file"));
    fs::write(&path, &sample()[..20]).unwrap();
    let error = GgufFile::open(&path).unwrap_err().to_string();
    let expected = "model.gguf`: metadata count at byte 16: takes 8 bytes, 4 are left in the file";
    assert!(error.ends_with(expected), "{error}");
    assert!(matches!(
        GgufFile::open(dir.path()),
        Err(GgufError::Io { .. })
    ));
}

#[test]
fn a_file_is_shared_between_threads() {
    let file = Arc::new(GgufFile::parse(sample()).unwrap());
    let other = Arc::clone(&file);
    let sum =
        std::thread::spawn(move || other.tensor("embed").map(|t| other.tensor_bytes(t).len()));
    assert_eq!(sum.join().unwrap(), Some(32));
    assert_eq!(file.tensors().len(), 4);
}

#[test]
fn typed_getters_give_the_value_or_name_key_and_types() {
    let file = GgufFile::parse(sample()).unwrap();
    let metadata = file.metadata();
    assert_eq!(metadata.u32("general.alignment"), Ok(32));
    assert_eq!(metadata.i32("t.i32"), Ok(-32));
    assert_eq!(metadata.u64("t.u64"), Ok(u64::MAX));
    assert_eq!(metadata.f32("t.f32"), Ok(0.5));
    assert_eq!(metadata.bool("t.bool"), Ok(true));
    assert_eq!(metadata.value("t.u8"), Ok(8_u8));
    assert_eq!(metadata.optional("t.f64"), Ok(Some(1e300)));
    assert_eq!(metadata.optional::<u32>("t.none"), Ok(None));
    assert_eq!(metadata.array("t.nested").unwrap().len(), 3);
    let tokens: Vec<&str> = metadata.values("t.tokens").unwrap().collect();
    assert_eq!(tokens, ["<s>", "", "Größe"]);
    let empty: Vec<u64> = metadata.values("t.empty").unwrap().collect();
    assert!(empty.is_empty());

    let missing = metadata.u32("t.none").unwrap_err();
    assert_eq!(
        missing.to_string(),
        "metadata has no key `t.none`, expected u32"
    );
    let error = metadata.u32("t.u64").unwrap_err();
    assert!(matches!(
        error,
        MetadataError::Type {
            expected: ValueKind::One(ValueType::U32),
            found: ValueKind::One(ValueType::U64),
            ..
        }
    ));
    let Err(error) = metadata.values::<f32>("t.tokens") else {
        panic!("strings are no f32")
    };
    let error = error.to_string();
    assert!(
        error.starts_with("metadata key `t.tokens` at byte "),
        "{error}"
    );
    assert!(
        error.ends_with(": expected array of f32, found array of string"),
        "{error}"
    );
    let Err(error) = metadata.values::<f32>("t.f32") else {
        panic!("a scalar is no array")
    };
    assert!(
        error
            .to_string()
            .ends_with(": expected array of f32, found f32"),
        "{error}"
    );
}

#[test]
fn a_type_error_carries_the_byte_of_the_value() {
    let file = GgufFile::parse(LITERAL).unwrap();
    let error = file.metadata().string("a.b").unwrap_err();
    let expected = "metadata key `a.b` at byte 39: expected string, found u32";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_alignment_key_moves_the_data_section_and_the_tensors() {
    let mut writer = GgufWriter::new();
    writer.metadata("general.alignment", 256_u32).unwrap();
    writer
        .tensor("a", &[1], tensor_type("F32"), [1, 2, 3, 4])
        .unwrap();
    writer
        .tensor("b", &[1], tensor_type("F32"), [5, 6, 7, 8])
        .unwrap();
    let mut bytes = Vec::new();
    writer.write_to(&mut bytes).unwrap();
    assert_eq!((bytes.len(), &bytes[256..260]), (768, &[1, 2, 3, 4][..]));
    let file = GgufFile::parse(bytes).unwrap();
    let b = file.tensor("b").unwrap();
    assert_eq!((file.alignment(), b.offset()), (256, 256));
    assert_eq!(file.tensor_bytes(b), [5, 6, 7, 8]);
}

#[test]
fn tensors_may_lie_in_any_order_with_gaps_and_end_without_padding() {
    let raw = Raw::head(2, 0)
        .tensor("late", &[3], 24, 96)
        .tensor("early", &[4], 24, 0);
    let file = raw.data(99).parse().unwrap();
    assert_eq!(file.tensors()[0].name(), "late");
    assert_eq!(file.tensor_bytes(&file.tensors()[0]).len(), 3);
}

#[test]
fn a_file_of_nothing_is_a_file() {
    let file = Raw::head(0, 0).parse().unwrap();
    assert!(file.metadata().is_empty() && file.tensors().is_empty());
    assert_eq!(file.alignment(), 32);
}

#[test]
fn a_tensor_of_another_file_has_no_bytes_here() {
    let (file, other) = (
        GgufFile::parse(sample()).unwrap(),
        GgufFile::parse(LITERAL).unwrap(),
    );
    assert!(file.tensor_bytes(&other.tensors()[0]).is_empty());
    assert!(other.tensor_bytes(&file.tensors()[1]).is_empty());
}

#[test]
fn the_writer_refuses_what_the_reader_would() {
    let f32_type = tensor_type("F32");
    let mut writer = GgufWriter::new();
    writer
        .metadata("k", 1_u32)
        .unwrap()
        .tensor("w", &[1], f32_type, [0; 4])
        .unwrap();
    let mixed = OwnedValue::Array {
        element: ValueType::U8,
        items: vec![1_u8.into(), 1_i8.into()],
    };
    let deep = (0..9).fold(OwnedValue::from(1_u8), |inner, _| OwnedValue::Array {
        element: inner.value_type(),
        items: vec![inner],
    });
    let keys = [
        (
            "k",
            2_u32.into(),
            "metadata key `k`: the key `k` is that of entry 0 already",
        ),
        (
            "m",
            mixed,
            "metadata key `m`: element 1 is i8, the array is of u8",
        ),
        (
            "d",
            deep,
            "metadata key `d`: arrays nested more than 8 deep",
        ),
        (
            "general.alignment",
            24_u32.into(),
            "metadata key `general.alignment`: an alignment of 24, expected a power of two",
        ),
        (
            "general.alignment",
            32_u64.into(),
            "metadata key `general.alignment`: expected u32, found u64",
        ),
    ];
    for (key, value, expected) in keys {
        assert_eq!(
            writer.metadata(key, value).unwrap_err().to_string(),
            expected
        );
    }
    let q4_k = tensor_type("Q4_K");
    let tensors: [(&str, &[u64], _, &str); 5] = [
        (
            "w",
            &[1],
            f32_type,
            "tensor `w`: the name `w` is that of tensor 0 already",
        ),
        ("r", &[1; 5], f32_type, "tensor `r`: 5 dims, the limit is 4"),
        ("z", &[4, 0], f32_type, "tensor `z`: dim 1 is 0"),
        (
            "q",
            &[128],
            q4_k,
            "tensor `q`: a row of 128 elements, Q4_K has blocks of 256",
        ),
        (
            "b",
            &[256, 2],
            q4_k,
            "tensor `b` takes 288 bytes, 4 were given",
        ),
    ];
    for (name, dims, ty, expected) in tensors {
        assert_eq!(
            writer
                .tensor(name, dims, ty, [0; 4])
                .unwrap_err()
                .to_string(),
            expected
        );
    }
    let mut bytes = Vec::new();
    writer.write_to(&mut bytes).unwrap();
    let file = GgufFile::parse(bytes).unwrap();
    assert_eq!((file.metadata().len(), file.tensors().len()), (1, 1));
    assert!(matches!(
        writer.write_to(&mut [0; 10][..]),
        Err(WriteError::Io(_))
    ));
}
