//! Mutated kernels: nothing that an author can type makes a macro panic.
//!
//! The corpus is every kernel, helper and format of the specs and of the UI tests. `RLX_FUZZ_SECONDS`
//! says how long to go on; a few seconds without it.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use fastrand::Rng;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::generate::{device, format, kernel};

/// An item with the attribute that makes it one of ours.
#[derive(Clone)]
struct Seed {
    macro_name: String,
    attribute: TokenStream,
    item: TokenStream,
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

fn corpus() -> Vec<Seed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    sources(&root.join("kernel-specs/src"), &mut files);
    sources(&root.join("tests/ui"), &mut files);
    files.sort();
    let mut seeds = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source can be read");
        let Ok(file) = syn::parse_file(&text) else {
            continue;
        };
        for item in file.items {
            let (attrs, mut item) = match &item {
                syn::Item::Fn(function) => (function.attrs.clone(), item),
                syn::Item::Const(constant) => (constant.attrs.clone(), item),
                syn::Item::Struct(structure) => (structure.attrs.clone(), item),
                syn::Item::Impl(implementation) => (implementation.attrs.clone(), item),
                _ => continue,
            };
            let ours = ["kernel", "device", "format"];
            let name_of =
                |attr: &syn::Attribute| ours.into_iter().find(|name| attr.path().is_ident(name));
            let Some((attr, macro_name)) =
                attrs.iter().find_map(|attr| Some((attr, name_of(attr)?)))
            else {
                continue;
            };
            let attribute = match &attr.meta {
                syn::Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            let list = match &mut item {
                syn::Item::Fn(function) => &mut function.attrs,
                syn::Item::Const(constant) => &mut constant.attrs,
                syn::Item::Struct(structure) => &mut structure.attrs,
                syn::Item::Impl(implementation) => &mut implementation.attrs,
                _ => continue,
            };
            list.retain(|attr| name_of(attr).is_none());
            seeds.push(Seed {
                macro_name: macro_name.into(),
                attribute,
                item: item.to_token_stream(),
            });
        }
    }
    seeds
}

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
];

/// One token tree is dropped, doubled, replaced, wrapped, or swapped with its neighbour.
fn mutate(rng: &mut Rng, tokens: TokenStream) -> TokenStream {
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
    match rng.u8(..6) {
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

/// Runs a macro as rustc would, and the end of its chain as if no path led anywhere.
fn expand(seed: &Seed) {
    let (attribute, item) = (&seed.attribute, &seed.item);
    match seed.macro_name.as_str() {
        "kernel" => {
            drop(kernel::attribute(attribute, item));
            drop(kernel::finish(
                quote!({ { #attribute } { #item } { } TARGET }),
            ));
        }
        "device" => {
            drop(device::attribute(attribute, item));
            drop(device::finish(quote!({ #item })));
        }
        _ => {
            drop(format::attribute(attribute, item));
            drop(device::finish(quote!({ { #attribute } #item })));
        }
    }
}

#[test]
fn no_mutated_kernel_makes_a_macro_panic() {
    let seconds = std::env::var("RLX_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let limit = Duration::from_secs(seconds.unwrap_or(3));
    let seeds = corpus();
    assert!(
        seeds.len() > 80,
        "the corpus holds the specs and the UI tests"
    );
    let mut rng = Rng::with_seed(seconds.unwrap_or(7));
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < limit {
        let mut seed = seeds[rng.usize(..seeds.len())].clone();
        for _ in 0..=rng.usize(..4) {
            if rng.u8(..8) == 0 {
                seed.attribute = mutate(&mut rng, seed.attribute);
            } else {
                seed.item = mutate(&mut rng, seed.item);
            }
        }
        let caught = catch_unwind(AssertUnwindSafe(|| expand(&seed)));
        assert!(
            caught.is_ok(),
            "after {count} kernels: #[{}({})] {}",
            seed.macro_name,
            seed.attribute,
            seed.item
        );
        count += 1;
    }
    assert!(count > 100, "only {count} kernels in {limit:?}");
}
