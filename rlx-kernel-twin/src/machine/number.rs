//! How a word is shown.

use crate::program::Kind;

/// A word as Rust prints it.
pub(crate) fn show(kind: Kind, bits: u32) -> String {
    match kind {
        Kind::Bool => (bits != 0).to_string(),
        Kind::I32 => (bits as i32).to_string(),
        Kind::U32 | Kind::I64 | Kind::U64 => bits.to_string(),
        Kind::F32 | Kind::F16 => float(f32::from_bits(bits)),
    }
}

/// A float, in exponents where it is long.
pub(super) fn float(value: f32) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e7).contains(&magnitude) && magnitude.is_finite() {
        format!("{value:e}")
    } else {
        format!("{value:?}")
    }
}

/// A value of one or two words as Rust prints it.
pub(super) fn show_wide(kind: Kind, low: u32, high: u32) -> String {
    let bits = u64::from(high) << 32 | u64::from(low);
    match kind {
        Kind::I64 => (bits as i64).to_string(),
        Kind::U64 => bits.to_string(),
        narrow => show(narrow, low),
    }
}

/// A scalar, or the components of a vector, by their words.
pub(crate) fn shown(kind: Kind, words: &[u32]) -> String {
    let each = words.chunks(kind.words() as usize).map(|words| {
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        show_wide(kind, word(0), word(1))
    });
    let each: Vec<String> = each.collect();
    match each.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    }
}
