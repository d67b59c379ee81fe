//! Metadata entries, shortened for the eye.

use rlx_core::gguf::Value;
use serde::Serialize;
use serde_json::{Number, Value as Json, json};

/// Elements of an array that are shown.
const ELEMENTS: usize = 4;
/// Characters of a string that are shown.
const CHARS: usize = 72;

/// A key and its value, an array by its first elements and a long string by its beginning.
#[derive(Debug, Serialize)]
pub struct Entry {
    key: String,
    #[serde(rename = "type")]
    ty: String,
    value: Json,
    /// Elements of an array, bytes of a string: of the whole, where `value` is less.
    length: Option<usize>,
    #[serde(skip)]
    text: String,
}

impl Entry {
    pub fn new((key, value): (&str, Value<'_>)) -> Self {
        let (ty, length) = match value {
            Value::Array(array) => (
                format!("array of {}", array.element_type()),
                Some(array.len()),
            ),
            Value::String(text) => ("string".into(), Some(text.len())),
            other => (other.value_type().to_string(), None),
        };
        Self {
            key: key.to_owned(),
            ty,
            value: to_json(value),
            length,
            text: to_text(value),
        }
    }

    /// Key, type and value for a table.
    pub fn cells(&self) -> [String; 3] {
        [
            self.key.escape_debug().to_string(),
            self.ty.clone(),
            self.text.clone(),
        ]
    }
}

/// The beginning of a string, and whether that is not the whole.
fn cut(text: &str) -> (&str, bool) {
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

fn to_json(value: Value<'_>) -> Json {
    match value {
        Value::U8(x) => json!(x),
        Value::I8(x) => json!(x),
        Value::U16(x) => json!(x),
        Value::I16(x) => json!(x),
        Value::U32(x) => json!(x),
        Value::I32(x) => json!(x),
        Value::U64(x) => json!(x),
        Value::I64(x) => json!(x),
        // By its own shortest digits, not by those of the f64 of the same value.
        Value::F32(x) => x
            .to_string()
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map_or_else(|| json!(x.to_string()), Json::Number),
        Value::F64(x) => Number::from_f64(x).map_or_else(|| json!(x.to_string()), Json::Number),
        Value::Bool(x) => json!(x),
        Value::String(text) => match cut(text) {
            (begin, true) => json!(format!("{begin}…")),
            (whole, false) => json!(whole),
        },
        Value::Array(array) => array.iter().take(ELEMENTS).map(to_json).collect(),
    }
}

fn to_text(value: Value<'_>) -> String {
    match value {
        Value::String(text) => match cut(text) {
            (begin, true) => format!("{begin:?}… ({} bytes)", text.len()),
            (whole, false) => format!("{whole:?}"),
        },
        Value::Array(array) => {
            let mut items: Vec<String> = array.iter().take(ELEMENTS).map(to_text).collect();
            if array.len() <= ELEMENTS {
                return format!("[{}]", items.join(", "));
            }
            items.push("…".into());
            format!("[{}] ({} elements)", items.join(", "), array.len())
        }
        other => match to_json(other) {
            // Infinities and NaN.
            Json::String(text) => text,
            number => number.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use rlx_core::gguf::{GgufFile, GgufWriter, OwnedValue};

    use super::*;

    fn entry(value: impl Into<OwnedValue>) -> Entry {
        let mut writer = GgufWriter::new();
        writer.metadata("k", value).unwrap();
        let mut bytes = Vec::new();
        writer.write_to(&mut bytes).unwrap();
        let file = GgufFile::parse(bytes).unwrap();
        file.metadata().iter().map(Entry::new).next().unwrap()
    }

    #[test]
    fn arrays_show_their_first_elements_and_their_length() {
        let entry = entry((0..100_u32).collect::<Vec<_>>());
        assert_eq!(entry.text, "[0, 1, 2, 3, …] (100 elements)");
        assert_eq!(
            (entry.value, entry.length),
            (json!([0, 1, 2, 3]), Some(100))
        );
    }

    #[test]
    fn long_strings_are_cut_between_characters() {
        let entry = entry("é".repeat(100));
        let begin = "é".repeat(72);
        assert_eq!(entry.text, format!("\"{begin}\"… (200 bytes)"));
        assert_eq!(entry.value, json!(format!("{begin}…")));
    }

    #[test]
    fn strings_are_escaped_so_that_a_file_cannot_write_to_the_terminal() {
        assert_eq!(entry("a\u{1b}[2J\n").text, "\"a\\u{1b}[2J\\n\"");
    }

    #[test]
    fn an_f32_has_its_own_digits_and_what_is_no_number_is_named() {
        assert_eq!(entry(1e-5_f32).text, "0.00001");
        assert_eq!(entry(f32::INFINITY).text, "inf");
        assert_eq!(entry(f64::NAN).value, json!("NaN"));
    }
}
