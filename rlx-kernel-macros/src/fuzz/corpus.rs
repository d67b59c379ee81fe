//! Every kernel, helper and format of the workspace, with the items that each of them calls.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::chain::{Entry, Kind};
use crate::parse::format::{Defaults, FormatItem};
use crate::parse::methods::Methods;
use crate::{generate, paths};

/// An item with the attribute that makes it one of ours.
#[derive(Clone)]
pub struct Seed {
    /// `kernel`, `device` or `format`.
    pub macro_name: &'static str,
    /// What is in the attribute's parentheses.
    pub attribute: TokenStream,
    /// The item without the attribute.
    pub item: TokenStream,
    /// The file that holds it.
    file: usize,
}

/// All seeds, and where those that can be called are.
pub struct Corpus {
    /// Kernels, helpers and formats.
    pub seeds: Vec<Seed>,
    named: BTreeMap<String, Vec<usize>>,
    /// Names of formats.
    pub formats: Vec<String>,
}

impl Corpus {
    /// Reads the sources of the workspace.
    pub fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        for folder in ["kernel-specs/src", "examples", "tests/ui", "tests/tests"] {
            sources(&root.join(folder), &mut files);
        }
        files.sort();
        let mut corpus = Self {
            seeds: Vec::new(),
            named: BTreeMap::new(),
            formats: Vec::new(),
        };
        for (index, path) in files.iter().enumerate() {
            let text = fs::read_to_string(path).expect("a source can be read");
            if let Ok(file) = syn::parse_file(&text) {
                corpus.items(file.items, index);
            }
        }
        corpus
    }

    fn items(&mut self, items: Vec<syn::Item>, file: usize) {
        for item in items {
            if let syn::Item::Mod(module) = item {
                let inner = module.content.map_or_else(Vec::new, |(_, items)| items);
                self.items(inner, file);
            } else if let Some((seed, name)) = seed(item, file) {
                if seed.macro_name == "format" {
                    self.formats.push(name.clone());
                }
                self.named.entry(name).or_default().push(self.seeds.len());
                self.seeds.push(seed);
            }
        }
    }

    /// The item that `path` leads to from a file: one of that file, or any other.
    fn behind(&self, path: &syn::Path, file: usize) -> Option<usize> {
        let name = paths::name(&path.segments.last()?.ident);
        let all = self.named.get(&name)?;
        let own = all.iter().find(|index| self.seeds[**index].file == file);
        own.or(all.first()).copied()
    }

    /// The closure of what `path` leads to, the item itself first.
    pub fn closure(&self, path: &syn::Path, from: &Seed) -> Vec<Entry> {
        let (mut entries, mut todo) = (Vec::new(), Vec::new());
        todo.extend(self.behind(path, from.file));
        let mut next = 0;
        while let Some(index) = todo.get(next).copied() {
            next += 1;
            let seed = &self.seeds[index];
            let Some((name, kind, all)) = called(seed) else {
                continue;
            };
            let mut named = Vec::new();
            for path in all {
                if let Some(behind) = self.behind(&path, seed.file) {
                    named.push((paths::text(&path), behind as u64));
                    if !todo.contains(&behind) && todo.len() < 24 {
                        todo.push(behind);
                    }
                }
            }
            let tokens = match kind {
                Kind::Format => {
                    let (attribute, item) = (&seed.attribute, &seed.item);
                    quote::quote!({ #attribute } #item)
                }
                _ => seed.item.clone(),
            };
            entries.push(Entry {
                id: index as u64,
                name,
                krate: "corpus".into(),
                file: format!("{}.rs", seed.file),
                line: 1,
                kind,
                paths: named,
                tokens,
            });
        }
        entries
    }
}

/// Name, kind and paths of an item that others call.
fn called(seed: &Seed) -> Option<(String, Kind, Vec<syn::Path>)> {
    let item = seed.item.clone();
    if seed.macro_name == "format" {
        let format =
            FormatItem::new(seed.attribute.clone(), item, &mut Defaults::default()).ok()?;
        let paths = generate::format::paths(&format);
        return Some((paths::name(&format.ident), Kind::Format, paths));
    }
    Some(match syn::parse2(item).ok()? {
        syn::Item::Fn(function) => {
            let generics = crate::parse::generics::names(&function.sig.generics);
            let paths = paths::collect(&function, &generics);
            (paths::name(&function.sig.ident), Kind::Function, paths)
        }
        syn::Item::Const(item) => {
            let paths = paths::collect_expr(&item.expr);
            (paths::name(&item.ident), Kind::Const, paths)
        }
        syn::Item::Struct(item) => {
            let mut paths = paths::collect_fields(&item);
            let mark = quote::format_ident!("{}{}", crate::chain::IMPL, item.ident);
            paths.push(mark.into());
            (paths::name(&item.ident), Kind::Struct, paths)
        }
        syn::Item::Impl(item) => {
            let methods = Methods::new(item).ok()?;
            let name = paths::name(&methods.ident);
            (name, Kind::Impl, paths::collect_methods(&methods))
        }
        _ => return None,
    })
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

/// An item of ours, and the name that others call it by.
fn seed(mut item: syn::Item, file: usize) -> Option<(Seed, String)> {
    let (attrs, name) = match &mut item {
        syn::Item::Fn(item) => (&mut item.attrs, paths::name(&item.sig.ident)),
        syn::Item::Const(item) => (&mut item.attrs, paths::name(&item.ident)),
        syn::Item::Struct(item) => (&mut item.attrs, paths::name(&item.ident)),
        syn::Item::Impl(item) => {
            let name = match &*item.self_ty {
                syn::Type::Path(path) => paths::name(&path.path.segments.last()?.ident),
                _ => return None,
            };
            let is_format = item.trait_.is_some();
            let name = if is_format {
                name
            } else {
                format!("{}{name}", crate::chain::IMPL)
            };
            (&mut item.attrs, name)
        }
        _ => return None,
    };
    let ours = ["kernel", "device", "format"];
    let name_of = |attr: &syn::Attribute| ours.into_iter().find(|name| attr.path().is_ident(name));
    let (at, macro_name) = attrs
        .iter()
        .enumerate()
        .find_map(|(at, attr)| Some((at, name_of(attr)?)))?;
    let attribute = match attrs.remove(at).meta {
        syn::Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    let seed = Seed {
        macro_name,
        attribute,
        item: item.to_token_stream(),
        file,
    };
    Some((seed, name))
}
