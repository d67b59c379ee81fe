//! One change to tokens.

use std::str::FromStr;

use fastrand::Rng;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

const WORDS: &[&str] = &[
    "0",
    "1u32",
    "-1",
    "4294967296",
    "1e400",
    "0.5",
    "x",
    "y",
    "n",
    "i",
    "Self",
    "self",
    "F",
    "u32",
    "f32",
    "f16",
    "u64",
    "Vec4<f32>",
    "[f32; 4]",
    "[u32; 0]",
    "&mut [f32]",
    "&[u32]",
    "()",
    "{}",
    "[]",
    "+",
    "-",
    "!",
    "*",
    "<<",
    "as u32",
    "as f32",
    ".x",
    ".len()",
    "[0]",
    "[i]",
    "return",
    "break",
    "continue",
    "if",
    "else",
    "for i in 0..4 {}",
    "loop {}",
    "while true {}",
    "let z = 1;",
    "#[unroll]",
    "#[workgroup]",
    "mut",
    "&",
    "&mut x",
    "vec4(0.0, 0.0, 0.0, 0.0)",
    "workgroup_barrier()",
    "subgroup_add(1)",
    "global_id()",
    "match x { _ => 0 }",
    "|a| a",
    "async",
    "unsafe",
    "\"text\"",
    "'c'",
    "r#type",
    "_",
    "..",
    "=>",
    "::",
    "1u64",
    "-9223372036854775808i64",
    "18446744073709551615",
    "4294967295",
    "f16::from_f32(0.5)",
    "f16::MAX",
    "i64",
    "i32",
    "bool",
    "Vec2<f16>",
    "Vec3<u32>",
    "[[f32; 4]; 4]",
    "Block<F>",
    "Packed<F>",
    "AtomicU32",
    "trace!(x)",
    "trace!()",
    "<const N: u32>",
    "<T: Float, const N: usize>",
    "const WIDE: u32 = 64",
    "F: BlockFormat",
    "F::ELEMS",
    "F::decode(b, i)",
    "F::decode8(b, i)",
    "T::from_f32(1.0)",
    "N",
    "::<4>",
    "::<f32>",
    "instances(F in [Q4K])",
    "instances(N in [1, 2, 4294967295])",
    "workgroup_size(N)",
    "threads(n)",
    "limits(workgroup_bytes = 32768)",
    "tables { grid: [u32; 4] = GRID }",
    "layout { d: f16, qs: [u8; 128] }",
    "impl",
    "fn",
    "const X: u32 = 1;",
    "const X: [u32; 4] = [1, 2, 3, 4];",
    "struct S { a: u32 }",
    "S { a: 1 }",
    "self.x",
    "Self { x: 1.0 }",
    "&self",
    "&mut self",
    "*self",
    "'a:",
    "break 'a",
    "continue 'a",
    "+=",
    "<<=",
    "&&",
    "||",
    "==",
    "<",
    ">>",
    "..=",
    ".step_by(0)",
    ".step_by(3)",
    ".rev()",
    ".xyz()",
    ".cmplt(x)",
    ".fetch_add(1)",
    ".compare_exchange(1, 2)",
    ".load()",
    ".min(1)",
    ".pow(3)",
    ".powi(-2)",
    ".rotate_left(33)",
    ".to_f32()",
    ".block(0)",
    "vec2(1, 2)",
    "Vec4::splat(0.0)",
    "select(1, 2, true)",
    "subgroup_shuffle(x, 99)",
    "workgroup_uniform_load(x)",
    "unpack4x_u8(1)",
    "global_index()",
    "local_index()",
    "f32::MAX",
    "u32::MAX",
    "i32::MIN",
    "if x == 0 { 1 } else { 2 }",
    "match 3 { 1 | 2 => 0, N => 1, _ => 2 }",
    "{ let z = 2; z }",
    "let z;",
    "let z: f32;",
    "let (a, b) = (1, 2);",
    "#[allow(bank_conflict)]",
    "#[deny(uncoalesced_access)]",
    "#[requires(n % 4 == 0)]",
    "#[cfg(x)]",
    "/ 0",
    "% 0",
    "<< 32",
    "as i64",
    "as f16",
];

/// One token tree is dropped, doubled, replaced, wrapped, repeated, or swapped with its neighbour.
pub fn mutate(rng: &mut Rng, tokens: TokenStream) -> TokenStream {
    let mut trees: Vec<TokenTree> = tokens.into_iter().collect();
    if trees.is_empty() {
        return word(rng);
    }
    let at = rng.usize(..trees.len());
    if let TokenTree::Group(group) = &trees[at]
        && rng.u8(..10) < 8
    {
        let mut inner = Group::new(group.delimiter(), mutate(rng, group.stream()));
        inner.set_span(group.span());
        trees[at] = TokenTree::Group(inner);
        return trees.into_iter().collect();
    }
    match rng.u8(..7) {
        0 => {
            trees.remove(at);
        }
        1 => trees.insert(at, trees[at].clone()),
        2 => trees.splice(at..=at, word(rng)).for_each(drop),
        3 => trees.splice(at..at, word(rng)).for_each(drop),
        4 => {
            let other = rng.usize(..trees.len());
            trees.swap(at, other);
        }
        5 => {
            // A run of tokens comes again elsewhere: whole statements, often.
            let end = (at + 1 + rng.usize(..8)).min(trees.len());
            let run = trees[at..end].to_vec();
            let to = rng.usize(..=trees.len());
            trees.splice(to..to, run).for_each(drop);
        }
        _ => {
            let delimiter =
                [Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket][rng.usize(..3)];
            trees[at] = TokenTree::Group(Group::new(delimiter, trees[at].clone().into()));
        }
    }
    trees.into_iter().collect()
}

fn word(rng: &mut Rng) -> TokenStream {
    TokenStream::from_str(WORDS[rng.usize(..WORDS.len())]).unwrap_or_default()
}
