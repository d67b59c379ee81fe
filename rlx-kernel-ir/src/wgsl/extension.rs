//! The `enable` lines that a module begins with.

use super::text::Text;

/// Extensions that must be named, and how a word shows that one is used.
const EXTENSIONS: &[(&str, IsUsed)] = &[("f16", is_f16), (MATRICES, is_matrix)];

/// naga's own.
const MATRICES: &str = "wgpu_cooperative_matrix";

/// naga 30 takes every variable for one that differs between invocations, and asks for this rule before it
/// refuses an operation on matrices under an `if`. What such an operation may be under is checked here, by
/// subgroups; derivatives, which the rule is for, are no part of a compute shader.
const UNIFORMITY: &str = "diagnostic(off, derivative_uniformity);\n";

type IsUsed = fn(&str) -> bool;

/// Whether `word` is a type of `f16`, or a literal such as `0.5h`. No name of an author's is.
fn is_f16(word: &str) -> bool {
    matches!(word, "f16" | "vec2h" | "vec3h" | "vec4h")
        || word.starts_with(|first: char| first.is_ascii_digit()) && word.ends_with('h')
}

/// Whether `word` is a type of cooperative matrices.
fn is_matrix(word: &str) -> bool {
    matches!(word, "coop_mat8x8" | "coop_mat16x16")
}

/// `text` after the lines that enable what it uses.
pub(crate) fn enabled(text: Text) -> Text {
    let mut out = Text::default();
    for (name, is_used) in EXTENSIONS {
        let mut words = text
            .as_str()
            .split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        if words.any(is_used) {
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
