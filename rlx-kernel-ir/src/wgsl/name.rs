//! Names: the author's own wherever WGSL can spell them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::builtin::{BUILTINS, Spelling};

/// Whether WGSL keeps the word for itself, or the printer calls a builtin by it.
fn is_reserved(name: &str) -> bool {
    const TYPES: &[&str] = &[
        "array", "atomic", "ptr", "bool", "f16", "f32", "i32", "i64", "u32", "u64", "bitcast",
        "Params", "params",
    ];
    static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let calls = BUILTINS.iter().filter_map(|builtin| match builtin.wgsl {
            Spelling::Call(call) => Some(call),
            _ => None,
        });
        let words = TYPES.iter().chain(naga::keywords::wgsl::RESERVED).copied();
        let mut words: Vec<_> = words.chain(calls).collect();
        words.sort_unstable();
        words
    });
    name.starts_with("vec") && name.len() <= 5 || WORDS.binary_search(&name).is_ok()
}

/// `name` where WGSL can spell it, else something close.
pub(super) fn spell(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    // WGSL refuses `_` alone and names that begin with two underscores.
    let trimmed = name.trim_start_matches('_');
    let mut spelled = match (name.len() - trimmed.len(), trimmed) {
        (_, "") => "unused".to_string(),
        (0 | 1, _) => name.to_string(),
        _ => format!("_{trimmed}"),
    };
    if is_reserved(&spelled) {
        spelled.push('_');
    }
    spelled
}

/// `name`, or `name_1`, `name_2` … where that is taken.
pub(super) fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let name = spell(name);
    if !taken(&name) {
        return name;
    }
    let mut count = 1;
    loop {
        let candidate = format!("{name}_{count}");
        if !taken(&candidate) {
            return candidate;
        }
        count += 1;
    }
}

/// Names of one module: bindings, functions, consts.
pub(super) type Names = BTreeSet<String>;
