//! A sample file and raw bytes, for the tests beside this file.

mod faults;
mod file;
mod lengths;
mod mutation;
mod truncation;

use super::{GgufFile, GgufWriter, Malformed, OwnedValue, TensorType, ValueType};

fn tensor_type(name: &str) -> TensorType {
    TensorType::from_name(name).unwrap()
}

/// Bytes 0, 1, 2 … from `first` on.
fn counting(first: u8, len: usize) -> Vec<u8> {
    (0..len).map(|i| first.wrapping_add(i as u8)).collect()
}

/// A file with every value type, nested arrays and four tensors, the last of which ends where its
/// padding would begin.
fn sample() -> Vec<u8> {
    let mut writer = GgufWriter::new();
    for (key, value) in sample_metadata() {
        writer.metadata(key, value).unwrap();
    }
    writer
        .tensor("embed", &[4, 2], tensor_type("F32"), counting(0, 32))
        .unwrap();
    writer
        .tensor(
            "blk.0.q",
            &[256, 1, 2],
            tensor_type("Q4_K"),
            counting(1, 288),
        )
        .unwrap();
    writer
        .tensor("blk.0.s", &[], tensor_type("F16"), counting(2, 2))
        .unwrap();
    writer
        .tensor("blk.0.t", &[64, 16], tensor_type("Q2_0"), counting(3, 288))
        .unwrap();
    let mut bytes = Vec::new();
    writer.write_to(&mut bytes).unwrap();
    bytes
}

fn sample_metadata() -> Vec<(&'static str, OwnedValue)> {
    let nested = OwnedValue::Array {
        element: ValueType::Array,
        items: vec![
            vec![1_u32, 2].into(),
            vec!["a", "bc"].into(),
            vec![true].into(),
        ],
    };
    vec![
        ("general.architecture", "llama".into()),
        ("general.alignment", 32_u32.into()),
        ("t.u8", 8_u8.into()),
        ("t.i8", (-8_i8).into()),
        ("t.u16", 16_u16.into()),
        ("t.i16", (-16_i16).into()),
        ("t.i32", (-32_i32).into()),
        ("t.f32", 0.5_f32.into()),
        ("t.bool", true.into()),
        ("t.u64", u64::MAX.into()),
        ("t.i64", i64::MIN.into()),
        ("t.f64", 1e300_f64.into()),
        ("t.tokens", vec!["<s>", "", "Größe"].into()),
        ("t.scores", vec![0.0_f32, -1.0, 2.5].into()),
        ("t.flags", vec![true, false, true].into()),
        ("t.empty", Vec::<u64>::new().into()),
        ("t.nested", nested),
    ]
}

/// A file written field by field, as no writer would.
#[derive(Clone, Default)]
struct Raw(Vec<u8>);

impl Raw {
    /// The 24 bytes of a version 3 head.
    fn head(tensors: u64, entries: u64) -> Self {
        Self::default()
            .bytes(b"GGUF")
            .u32(3)
            .u64(tensors)
            .u64(entries)
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    fn u32(self, value: u32) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    fn u64(self, value: u64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    fn string(self, text: &str) -> Self {
        self.u64(text.len() as u64).bytes(text.as_bytes())
    }

    /// A tensor's entry.
    fn tensor(self, name: &str, dims: &[u64], number: u32, offset: u64) -> Self {
        let raw = self.string(name).u32(dims.len() as u32);
        let raw = dims.iter().fold(raw, |raw, dim| raw.u64(*dim));
        raw.u32(number).u64(offset)
    }

    /// Zeros up to the next multiple of 32 and `len` more.
    fn data(mut self, len: usize) -> Self {
        self.0.resize(self.0.len().next_multiple_of(32) + len, 0);
        self
    }

    fn parse(self) -> Result<GgufFile, Malformed> {
        GgufFile::parse(self.0)
    }

    /// The rendered error of parsing these bytes.
    fn error(self) -> String {
        self.parse().unwrap_err().to_string()
    }
}
