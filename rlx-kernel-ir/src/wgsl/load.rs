//! Reads of bytes, halves and words at any alignment from an array of words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::item::FieldKind;

/// A helper that reads from one binding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LoadHelper {
    /// The binding's variable.
    pub variable: String,
    /// What it reads.
    pub kind: Raw,
}

/// What a helper reads, before it is given its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Raw {
    /// One byte.
    U8,
    /// A half at an even address.
    U16,
    /// A word at any address.
    U32,
}

impl LoadHelper {
    fn name(&self) -> String {
        let kind = match self.kind {
            Raw::U8 => "u8",
            Raw::U16 => "u16",
            Raw::U32 => "u32",
        };
        format!("{}_{kind}", self.variable)
    }

    /// The function.
    pub fn print(&self) -> String {
        let (name, w) = (self.name(), &self.variable);
        let mut text = format!("fn {name}(at: u32) -> u32 {{\n");
        let _ = match self.kind {
            Raw::U8 => writeln!(
                text,
                "    return ({w}[at >> 2u] >> ((at & 3u) << 3u)) & 0xffu;"
            ),
            Raw::U16 => writeln!(
                text,
                "    return ({w}[at >> 2u] >> ((at & 2u) << 3u)) & 0xffffu;"
            ),
            Raw::U32 => {
                let _ = writeln!(text, "    let word = at >> 2u;");
                let _ = writeln!(text, "    let shift = (at & 3u) << 3u;");
                let _ = writeln!(text, "    let low = {w}[word];");
                // The word of the last byte: never one past the end of the slice.
                let _ = writeln!(text, "    let high = {w}[(at + 3u) >> 2u];");
                writeln!(
                    text,
                    "    return select((low >> shift) | (high << (32u - shift)), low, shift == 0u);"
                )
            }
        };
        text.push_str("}\n");
        text
    }
}

/// The WGSL that reads `kind` from `variable` at byte `address`, and the helpers it calls.
///
/// `address` is an operand (an atom or parenthesised); `align` divides it.
pub(super) fn load(
    helpers: &mut BTreeSet<LoadHelper>,
    variable: &str,
    kind: FieldKind,
    align: u32,
    address: &str,
    operand: &str,
) -> String {
    let mut helper = |kind: Raw| {
        let helper = LoadHelper {
            variable: variable.to_string(),
            kind,
        };
        let call = format!("{}({address})", helper.name());
        helpers.insert(helper);
        call
    };
    let word = format!("{variable}[{operand} >> 2u]");
    let half = |helper: &mut dyn FnMut(Raw) -> String| match align {
        4 => format!("{word} & 0xffffu"),
        2 => helper(Raw::U16),
        _ => format!("{} & 0xffffu", helper(Raw::U32)),
    };
    match (kind, align) {
        (FieldKind::U32, 4) => word,
        (FieldKind::U32, _) => helper(Raw::U32),
        (FieldKind::F32, 4) => format!("bitcast<f32>({word})"),
        (FieldKind::F32, _) => format!("bitcast<f32>({})", helper(Raw::U32)),
        // The high half of a word is not looked at by `.x`.
        (FieldKind::F16, 4) => format!("unpack2x16float({word}).x"),
        (FieldKind::F16, 2) => format!("unpack2x16float({}).x", helper(Raw::U16)),
        (FieldKind::F16, _) => format!("unpack2x16float({}).x", helper(Raw::U32)),
        (FieldKind::U16, _) => format!("({})", half(&mut helper)),
        (FieldKind::I16, _) => format!("extractBits(bitcast<i32>({}), 0u, 16u)", half(&mut helper)),
        (FieldKind::U8, 4) => format!("({word} & 0xffu)"),
        (FieldKind::U8, _) => helper(Raw::U8),
        (FieldKind::I8, _) => format!("extractBits(bitcast<i32>({}), 0u, 8u)", helper(Raw::U8)),
    }
}
