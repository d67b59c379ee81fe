//! Literals of numbers.

use crate::types::{Scalar, Type};

/// Whole bytes, as masks are read.
pub(super) fn hex(value: u64, suffix: &str) -> String {
    let digits = format!("{value:x}");
    let pad = if digits.len().is_multiple_of(2) {
        ""
    } else {
        "0"
    };
    format!("0x{pad}{digits}{suffix}")
}

pub(in crate::wgsl) fn int(value: i128, ty: &Type) -> String {
    if *ty == Type::I64 && value == i128::from(i64::MIN) {
        // Its literal would be `-` of a number that no i64 holds.
        return "(-9223372036854775807li - 1li)".into();
    }
    format!("{value}{}", suffix(ty))
}

/// What makes an integer literal one of `ty`; an `i32` needs nothing.
pub(super) fn suffix(ty: &Type) -> &'static str {
    match ty {
        Type::Scalar(Scalar::U32) => "u",
        Type::Scalar(Scalar::I64) => "li",
        Type::Scalar(Scalar::U64) => "lu",
        _ => "",
    }
}

/// A float literal that WGSL takes for one.
pub(super) fn float(text: &str) -> String {
    if text.contains(['.', 'e', 'E']) {
        let text = text
            .strip_suffix('.')
            .map_or_else(|| text.to_string(), |text| format!("{text}.0"));
        return text;
    }
    format!("{text}.0")
}
