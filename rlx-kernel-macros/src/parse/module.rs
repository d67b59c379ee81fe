//! From the entries of a chain to the items of a module.

use std::collections::{HashMap, HashSet};

use rlx_kernel_ir::{
    Diagnostic, Format, Item, ItemId, Module, Origin, Struct, Table, Type, compile_functions,
};

use super::body::BodyParser;
use super::format::{Defaults, FormatItem};
use super::generics;
use super::methods::{Methods, prefix};
use super::traits::{DeviceTrait, device_trait};
use super::{FormatTarget, Resolver, Sink, Target};
use crate::chain::{Entry, IMPL, Kind};
use crate::paths;

/// Items by the ids of their entries.
pub struct Items {
    /// Helpers, consts and formats; no kernel yet.
    pub module: Module,
    targets: HashMap<u64, Target>,
    /// Functions and consts of each `impl`.
    members: HashMap<u64, Members>,
    /// The `impl`s of each struct that has any.
    impls: HashMap<u64, Vec<u64>>,
    /// The structs without fields.
    alone: HashSet<ItemId>,
    lengths: HashMap<u64, u32>,
    /// The end of the spans of each entry.
    ends: Vec<u32>,
}

/// The functions and consts of an `impl`.
#[derive(Default)]
struct Members {
    functions: Vec<(String, ItemId)>,
    consts: Vec<(String, ItemId)>,
    /// Values of consts that array lengths may name.
    lengths: HashMap<String, u32>,
}

enum Parsed {
    Function(syn::ItemFn),
    Const(syn::ItemConst),
    Struct(syn::ItemStruct),
    Impl(Methods),
    Trait(DeviceTrait),
    Format(FormatItem),
}

impl Items {
    /// Parses `entries`.
    ///
    /// # Errors
    /// What is no syntax at all; all other problems go to `sink`.
    pub fn new(sink: &mut Sink, entries: &[Entry]) -> syn::Result<Self> {
        let mut items = Self {
            module: Module::default(),
            targets: HashMap::new(),
            members: HashMap::new(),
            impls: HashMap::new(),
            alone: HashSet::new(),
            lengths: HashMap::new(),
            ends: Vec::new(),
        };
        let (mut parsed, mut defaults) = (Vec::new(), Defaults::default());
        for entry in entries {
            parsed.push(match entry.kind {
                Kind::Function => Parsed::Function(syn::parse2(entry.tokens.clone())?),
                Kind::Const => Parsed::Const(syn::parse2(entry.tokens.clone())?),
                Kind::Struct => Parsed::Struct(syn::parse2(entry.tokens.clone())?),
                Kind::Impl => Parsed::Impl(Methods::new(syn::parse2(entry.tokens.clone())?)?),
                Kind::Trait => Parsed::Trait(DeviceTrait::new(syn::parse2(entry.tokens.clone())?)?),
                Kind::Format => Parsed::Format(split_format(entry, &mut defaults)?),
            });
        }
        items.number(entries, &parsed);
        items.evaluate(sink, entries, &parsed);
        let mut all = Vec::new();
        for (entry, parsed) in entries.iter().zip(&parsed) {
            items.parse(sink, entry, parsed, &mut all);
            items.ends.push(sink.spans.len());
        }
        items.module.items = all;
        Ok(items)
    }

    /// Gives every item its number, so that bodies may name items in any order.
    fn number(&mut self, entries: &[Entry], parsed: &[Parsed]) {
        let mut next = 0;
        let mut number = || {
            next += 1;
            ItemId(next - 1)
        };
        let mut structs: Vec<String> = Vec::new();
        for (entry, parsed) in entries.iter().zip(parsed) {
            if let Parsed::Impl(methods) = parsed {
                let mut functions = Vec::new();
                for item in &methods.functions {
                    functions.push((paths::name(&item.sig.ident), number()));
                    // Its parameters follow it.
                    for _ in &item.sig.generics.params {
                        number();
                    }
                }
                let consts = methods.consts.iter();
                let consts = consts.map(|item| (paths::name(&item.ident), number()));
                let members = Members {
                    consts: consts.collect(),
                    functions,
                    lengths: HashMap::new(),
                };
                self.members.insert(entry.id, members);
                continue;
            }
            let id = number();
            if let Parsed::Function(function) = parsed {
                // Its parameters follow it.
                for _ in &function.sig.generics.params {
                    number();
                }
            }
            let target = match parsed {
                Parsed::Function(_) | Parsed::Const(_) | Parsed::Impl(_) => Target::Item(id),
                Parsed::Trait(_) => Target::Trait(id),
                Parsed::Struct(item) => {
                    if item.fields.is_empty() {
                        self.alone.insert(id);
                    }
                    let of = |(path, id): &(String, u64)| path.starts_with(IMPL).then_some(*id);
                    let impls = entry.paths.iter().filter_map(of);
                    self.impls.insert(entry.id, impls.collect());
                    // Structs of one name come from different modules.
                    let mut name = entry.name.clone();
                    while structs.contains(&name) || name == "Params" {
                        name.push('_');
                    }
                    structs.push(name.clone());
                    Target::Struct(id, name)
                }
                Parsed::Format(format) => Target::Format(FormatTarget {
                    tables: add_tables(&mut self.module.tables, id, format),
                    id,
                    consts: format.consts(),
                    functions: format
                        .functions
                        .iter()
                        .map(|function| (paths::name(&function.sig.ident), number()))
                        .collect(),
                }),
            };
            self.targets.insert(entry.id, target);
        }
    }

    /// Finds the consts that array lengths may name.
    fn evaluate(&mut self, sink: &mut Sink, entries: &[Entry], parsed: &[Parsed]) {
        // A const's closure holds what it refers to after it, so backwards every value is known.
        for (entry, parsed) in entries.iter().zip(parsed).rev() {
            if let Parsed::Const(item) = parsed {
                let (resolver, lengths) = (self.resolver(&entry.paths), self.lengths(&entry.paths));
                let quiet = sink.diagnostics.len();
                let value = BodyParser::new(sink, &resolver, &lengths).length(&item.expr);
                sink.diagnostics.truncate(quiet);
                if let Some(value) = value {
                    self.lengths.insert(entry.id, value);
                }
            }
            if let Parsed::Impl(methods) = parsed {
                // A const may name those before and after it.
                for item in methods.consts.iter().chain(methods.consts.iter().rev()) {
                    let (resolver, lengths) = self.inside(entry, methods);
                    let quiet = sink.diagnostics.len();
                    let value = BodyParser::new(sink, &resolver, &lengths).length(&item.expr);
                    sink.diagnostics.truncate(quiet);
                    if let (Some(value), Some(members)) = (value, self.members.get_mut(&entry.id)) {
                        members.lengths.insert(paths::name(&item.ident), value);
                    }
                }
            }
        }
    }

    fn parse(&self, sink: &mut Sink, entry: &Entry, parsed: &Parsed, out: &mut Vec<Item>) {
        let (mut resolver, lengths) = (self.resolver(&entry.paths), self.lengths(&entry.paths));
        let origin = Origin {
            file: entry.file.clone(),
            line: entry.line,
        };
        match parsed {
            Parsed::Function(function) => {
                let name = paths::name(&function.sig.ident);
                generic(sink, (function, name), (resolver, &lengths), origin, out);
            }
            Parsed::Const(item) => {
                let parser = BodyParser::new(sink, &resolver, &lengths);
                out.push(Item::Const(parser.constant_item(
                    item,
                    entry.name.clone(),
                    origin,
                )));
            }
            Parsed::Struct(structure) => {
                let mut parser = BodyParser::new(sink, &resolver, &lengths);
                let mut fields = Vec::new();
                let mut spans = Vec::new();
                let span = parser.sink.span(&structure.ident);
                for field in &structure.fields {
                    let ty = parser.ty(&field.ty);
                    let ty = parser.in_memory(&field.ty, ty);
                    let plain = matches!(
                        ty,
                        Type::Scalar(_)
                            | Type::Vector(..)
                            | Type::Array(..)
                            | Type::Struct(..)
                            | Type::Error
                    );
                    if !plain {
                        parser.sink.error_help(
                            &field.ty,
                            "a field of a struct is a value",
                            "use a scalar, a vector, an array or another `#[device]` struct",
                        );
                    }
                    if let Some(name) = &field.ident {
                        fields.push((paths::name(name), ty));
                        spans.push(parser.sink.span(field));
                    }
                }
                let name = match self.targets.get(&entry.id) {
                    Some(Target::Struct(_, name)) => name.clone(),
                    _ => entry.name.clone(),
                };
                let of_all = |of: fn(&Members) -> &Vec<(String, ItemId)>| {
                    let all = self.members_behind(entry.id).flat_map(of);
                    all.cloned().collect::<Vec<_>>()
                };
                out.push(Item::Struct(Struct {
                    name,
                    span,
                    spans,
                    copied: derives(&structure.attrs, "Copy"),
                    fields,
                    functions: of_all(|members| &members.functions),
                    consts: of_all(|members| &members.consts),
                    origin,
                }));
            }
            Parsed::Impl(methods) => {
                let (resolver, lengths) = self.inside(entry, methods);
                let prefix = prefix(&entry.name);
                for function in &methods.functions {
                    let name = format!("{prefix}_{}", function.sig.ident);
                    let known = (resolver.clone(), &lengths);
                    generic(sink, (function, name), known, origin.clone(), out);
                }
                for item in &methods.consts {
                    let name = format!("{}_{}", prefix.to_uppercase(), item.ident);
                    let parser = BodyParser::new(sink, &resolver, &lengths);
                    out.push(Item::Const(parser.constant_item(
                        item,
                        name,
                        origin.clone(),
                    )));
                }
            }
            Parsed::Trait(item) => {
                let item = device_trait(sink, item, &resolver, &lengths, origin);
                out.push(Item::Trait(item));
            }
            Parsed::Format(format) => {
                if let Some(target) = self.targets.get(&entry.id) {
                    resolver.targets.insert("Self".into(), target.clone());
                }
                let name = format.args.name.value();
                out.push(Item::Format(Format {
                    name: name.clone(),
                    consts: format.consts(),
                    fields: format.args.fields.clone(),
                    functions: match self.targets.get(&entry.id) {
                        Some(Target::Format(target)) => {
                            let functions = target.functions.iter();
                            functions.map(|(name, id)| (name.clone(), *id)).collect()
                        }
                        _ => Vec::new(),
                    },
                    origin: origin.clone(),
                }));
                for function in &format.functions {
                    let wgsl_name = format!("{}_{}", name.to_lowercase(), function.sig.ident);
                    out.push(Item::Function(
                        BodyParser::new(sink, &resolver, &lengths).function(
                            function,
                            wgsl_name,
                            origin.clone(),
                        ),
                    ));
                }
            }
        }
    }

    /// What the paths of an item mean.
    pub fn resolver(&self, paths: &[(String, u64)]) -> Resolver {
        let targets = paths
            .iter()
            .filter_map(|(path, id)| Some((path.clone(), self.targets.get(id)?.clone())));
        let mut targets: HashMap<_, _> = targets.collect();
        for (path, id) in paths {
            for members in self.members_behind(*id) {
                for (name, item) in members.functions.iter().chain(&members.consts) {
                    targets.insert(format!("{path}::{name}"), Target::Item(*item));
                }
            }
        }
        Resolver {
            targets,
            alone: self.alone.clone(),
        }
    }

    /// The `impl`s of the struct behind an entry.
    fn members_behind(&self, id: u64) -> impl Iterator<Item = &Members> {
        let impls = self.impls.get(&id).into_iter().flatten();
        impls.filter_map(|id| self.members.get(id))
    }

    /// The struct whose `impl` is behind an entry.
    fn owner_of(&self, id: u64) -> Option<u64> {
        let mut all = self.impls.iter();
        all.find(|(_, impls)| impls.contains(&id))
            .map(|(owner, _)| *owner)
    }

    /// What the paths in an `impl` mean: its own struct is `Self` and goes by its name, too.
    fn inside(&self, entry: &Entry, methods: &Methods) -> (Resolver, HashMap<String, u32>) {
        let mut paths = entry.paths.clone();
        if let Some(owner) = self.owner_of(entry.id) {
            paths.push(("Self".into(), owner));
            paths.push((paths::name(&methods.ident), owner));
        }
        (self.resolver(&paths), self.lengths(&paths))
    }

    /// Which paths of an item are consts that array lengths may name.
    pub fn lengths(&self, paths: &[(String, u64)]) -> HashMap<String, u32> {
        let mut all: HashMap<_, _> = paths
            .iter()
            .filter_map(|(path, id)| Some((path.clone(), *self.lengths.get(id)?)))
            .collect();
        for (path, id) in paths {
            for members in self.members_behind(*id) {
                let of = |(name, value): (&String, &u32)| (format!("{path}::{name}"), *value);
                all.extend(members.lengths.iter().map(of));
            }
        }
        all
    }

    /// Of what could not be parsed and of what the compiler found, that which nobody has reported
    /// yet, in source order: what is wrong with an item of this crate by itself was reported where
    /// the item is. `own` is the entry that is being defined.
    pub fn unreported(
        &self,
        unparsed: Vec<Diagnostic>,
        found: Option<Vec<Diagnostic>>,
        entries: &[Entry],
        own: Option<u64>,
    ) -> Vec<Diagnostic> {
        let mut all = self.unreported_syntax(unparsed, entries, own);
        let is_new = |problem: &Diagnostic| all.iter().all(|known| known.span != problem.span);
        let found: Vec<_> = found.into_iter().flatten().filter(is_new).collect();
        all.extend(self.unreported_meaning(found, entries, own));
        all.sort_by_key(|problem| problem.span);
        all
    }

    fn unreported_meaning(
        &self,
        problems: Vec<Diagnostic>,
        entries: &[Entry],
        own: Option<u64>,
    ) -> Vec<Diagnostic> {
        let owner = |problem: &Diagnostic| self.neighbour(problem, entries, own);
        let mut reported: Vec<Diagnostic> = Vec::new();
        for entry in entries.iter().filter(|entry| Some(entry.id) != own) {
            if problems
                .iter()
                .filter_map(owner)
                .any(|of| of.id == entry.id)
                && let Err(found) = compile_functions(&self.module, &self.roots(entry.id))
            {
                reported.extend(found);
            }
        }
        let is_known = |problem: &Diagnostic| {
            owner(problem).is_some() && reported.iter().any(|known| known.span == problem.span)
        };
        problems
            .into_iter()
            .filter(|problem| !is_known(problem))
            .collect()
    }

    /// What could not be parsed is the same wherever it is parsed.
    fn unreported_syntax(
        &self,
        problems: Vec<Diagnostic>,
        entries: &[Entry],
        own: Option<u64>,
    ) -> Vec<Diagnostic> {
        problems
            .into_iter()
            .filter(|problem| self.neighbour(problem, entries, own).is_none())
            .collect()
    }

    /// The item of this crate, other than `own`, that `problem` lies in.
    fn neighbour<'e>(
        &self,
        problem: &Diagnostic,
        entries: &'e [Entry],
        own: Option<u64>,
    ) -> Option<&'e Entry> {
        let index = self.ends.iter().position(|end| problem.span.0 < *end)?;
        let mut entry = entries.get(index)?;
        if let Some(owner) = self.owner_of(entry.id) {
            entry = entries.iter().find(|entry| entry.id == owner)?;
        }
        (Some(entry.id) != own && entry.krate == crate::chain::crate_name()).then_some(entry)
    }

    /// The functions of an entry.
    pub fn roots(&self, id: u64) -> Vec<ItemId> {
        match self.target(id) {
            Some(Target::Item(item)) => vec![*item],
            Some(Target::Format(format)) => format.functions.values().copied().collect(),
            Some(Target::Struct(..)) => {
                let functions = self
                    .members_behind(id)
                    .flat_map(|members| &members.functions);
                functions.map(|(_, item)| *item).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The item behind an entry.
    pub fn target(&self, id: u64) -> Option<&Target> {
        self.targets.get(&id)
    }
}

/// Adds a function, and its parameters after it.
fn generic(
    sink: &mut Sink,
    (function, wgsl_name): (&syn::ItemFn, String),
    (mut resolver, lengths): (Resolver, &HashMap<String, u32>),
    origin: Origin,
    out: &mut Vec<Item>,
) {
    let first = out.len() + 1;
    let generics = generics::declare(sink, &function.sig.generics, first, &mut resolver);
    let parser = BodyParser::new(sink, &resolver, lengths);
    let mut function = parser.function(function, wgsl_name, origin);
    function.generics = (first..first + generics.len()).map(ItemId).collect();
    out.push(Item::Function(function));
    out.extend(generics.into_iter().map(Item::Generic));
}

/// Adds the tables of a format to those of the module; their places there by name.
fn add_tables(all: &mut Vec<Table>, id: ItemId, format: &FormatItem) -> HashMap<String, usize> {
    let scheme = format.args.name.value().to_lowercase();
    let mut places = HashMap::new();
    for (index, table) in format.args.tables.iter().enumerate() {
        let name = paths::name(&table.name);
        places.insert(name.clone(), all.len());
        all.push(Table {
            name: format!("{scheme}_{name}"),
            len: table.len,
            format: id,
            index,
        });
    }
    places
}

/// A format's entry holds its attribute in braces, then its `impl`.
fn split_format(entry: &Entry, defaults: &mut Defaults) -> syn::Result<FormatItem> {
    let mut tokens = entry.tokens.clone().into_iter();
    match tokens.next() {
        Some(proc_macro2::TokenTree::Group(args)) => {
            FormatItem::new(args.stream(), tokens.collect(), defaults)
        }
        _ => Err(syn::Error::new(
            proc_macro2::Span::call_site(),
            "a format's entry begins with its arguments",
        )),
    }
}

/// Whether one of `attrs` derives the trait of that name.
pub fn derives(attrs: &[syn::Attribute], name: &str) -> bool {
    let mut found = false;
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        // What is no path is rustc's to report.
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == name);
            Ok(())
        });
    }
    found
}
