//! The `enable` lines that a module begins with.

use super::text::Text;

/// Extensions that must be named, and how a word shows that one is used.
const EXTENSIONS: &[(&str, MayBeUsed, IsUsed)] = &[
    ("f16", may_be_f16, is_f16),
    (MATRICES, may_be_matrix, is_matrix),
];

/// naga's own.
const MATRICES: &str = "wgpu_cooperative_matrix";

/// naga 30 takes every variable for one that differs between invocations, and asks for this rule before it
/// refuses an operation on matrices under an `if`. What such an operation may be under is checked here, by
/// subgroups; derivatives, which the rule is for, are no part of a compute shader.
const UNIFORMITY: &str = "diagnostic(off, derivative_uniformity);\n";

/// A quick look at the whole text: most modules need no search by words.
type MayBeUsed = fn(&str) -> bool;

type IsUsed = fn(&str) -> bool;

/// Whether an `h` follows a digit anywhere, or a type is named.
fn may_be_f16(text: &str) -> bool {
    let after = |at: usize, end: &str| text.get(..at).is_some_and(|before| before.ends_with(end));
    let digit = |at: usize| {
        let before = text.as_bytes().get(at.wrapping_sub(1));
        before.is_some_and(u8::is_ascii_digit)
    };
    text.match_indices('h').any(|(at, _)| digit(at))
        || text.match_indices('6').any(|(at, _)| after(at, "f1"))
}

/// Whether `word` is a type of `f16`, or a literal such as `0.5h`. No name of an author's is.
fn is_f16(word: &str) -> bool {
    match word.as_bytes() {
        [b'0'..=b'9', .., b'h'] => true,
        [b'f' | b'v', ..] => matches!(word, "f16" | "vec2h" | "vec3h" | "vec4h"),
        _ => false,
    }
}

/// Whether any word of `text` is `wanted`. By bytes, since the macros run unoptimised.
fn any_word(text: &str, wanted: IsUsed) -> bool {
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_') {
            if start < at && text.get(start..at).is_some_and(wanted) {
                return true;
            }
            start = at + 1;
        }
    }
    text.get(start..).is_some_and(wanted)
}

fn may_be_matrix(text: &str) -> bool {
    text.contains("coop_mat")
}

/// Whether `word` is a type of cooperative matrices.
fn is_matrix(word: &str) -> bool {
    matches!(word, "coop_mat8x8" | "coop_mat16x16")
}

/// `text` after the lines that enable what it uses.
pub(crate) fn enabled(text: Text) -> Text {
    let mut out = Text::default();
    for (name, may_be_used, is_used) in EXTENSIONS {
        if may_be_used(text.as_str()) && any_word(text.as_str(), *is_used) {
            out.push(&format!("enable {name};\n"));
        }
    }
    if out.as_str().contains(MATRICES) {
        out.push(UNIFORMITY);
    }
    if out.is_empty() {
        return text;
    }
    out.push("\n");
    out.append(&text);
    out
}

#[cfg(test)]
mod tests {
    use super::enabled;
    use crate::wgsl::Text;

    #[test]
    fn f16_is_enabled_where_a_type_or_a_literal_uses_it() {
        for text in ["var x: f16;", "let v = vec3h(a);", "x * 0.5h"] {
            let enabled = enabled(Text::new(text));
            assert_eq!(enabled.as_str(), format!("enable f16;\n\n{text}"));
        }
        for text in ["unpack2x16float(x)", "let depth = 0x1fu;", "w_f16(x)"] {
            assert_eq!(enabled(Text::new(text)).as_str(), text);
        }
    }

    #[test]
    fn matrices_are_enabled_and_their_uniformity_is_left_to_the_analysis_here() {
        let text = "var c = coop_mat8x8<f32, C>();";
        let head = "enable wgpu_cooperative_matrix;\ndiagnostic(off, derivative_uniformity);\n\n";
        assert_eq!(enabled(Text::new(text)).as_str(), format!("{head}{text}"));
    }
}
