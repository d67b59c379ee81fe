//! `#[kernel]`: one module of host code a kernel, one static a compiled instance.

mod finish;
mod info;
mod launch;
mod module;
mod problems;

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};

use super::instances::{self, Values};
use crate::chain;
use crate::parse::generics;
use crate::parse::kernel::KernelArgs;
use crate::parse::requires::requirements;
use crate::{paths, report};
pub use finish::finish;
pub use launch::{element, inside};
use module::module;

/// The attribute: checks its own words, then fetches instances and helpers.
pub fn attribute(attribute: &TokenStream, item: &TokenStream) -> TokenStream {
    if let Some(error) = super::device::given_twice(item, "kernel") {
        return error;
    }
    let parsed = syn::parse2::<KernelArgs>(attribute.clone())
        .and_then(|args| Ok((args, syn::parse2::<syn::ItemFn>(item.clone())?)))
        .and_then(|(args, function)| {
            super::device::refuse_qualifiers(&function.sig, "a kernel")?;
            Ok((args, function))
        });
    let (args, function) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return report::syntax(&error),
    };
    let mut errors: TokenStream = args.errors.iter().map(report::syntax).collect();
    if let Err(error) = requirements(&function) {
        errors.extend(report::syntax(&error));
    }
    let output = chains(attribute, item, &args, &function);
    quote!(#errors #output)
}

/// The chains of a kernel's instances, and the module that knows them all.
fn chains(
    attribute: &TokenStream,
    item: &TokenStream,
    args: &KernelArgs,
    function: &syn::ItemFn,
) -> TokenStream {
    if let Err(error) = instances::check(args, function) {
        return report::syntax(&error);
    }
    match instances::table(args) {
        None => all_instances(attribute, item, args, function, &[]),
        Some(path) => {
            let head = quote!({ #attribute } { #item } { #path });
            quote! { #path! { @list { #head } } }
        }
    }
}

/// What a list of formats hands over.
struct Expansion {
    attribute: TokenStream,
    item: TokenStream,
    list: syn::Path,
    members: Vec<syn::Ident>,
}

impl Parse for Expansion {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let head;
        syn::braced!(head in input);
        let group = |input: ParseStream<'_>| -> syn::Result<TokenStream> {
            let body;
            syn::braced!(body in input);
            body.parse()
        };
        let (attribute, item, list) = (group(&head)?, group(&head)?, syn::parse2(group(&head)?)?);
        let mut members = Vec::new();
        while !input.is_empty() {
            members.push(input.parse()?);
        }
        Ok(Self {
            attribute,
            item,
            list,
            members,
        })
    }
}

/// The chains of the instances that a table gives, and the module that knows them all.
pub fn expand_instances(input: TokenStream) -> TokenStream {
    let parsed = syn::parse2::<Expansion>(input).and_then(|expansion| {
        let args: KernelArgs = syn::parse2(expansion.attribute.clone())?;
        let function: syn::ItemFn = syn::parse2(expansion.item.clone())?;
        Ok((expansion, args, function))
    });
    let (expansion, args, function) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return report::syntax(&error),
    };
    // Members are siblings of the list.
    let paths: Vec<syn::Path> = expansion
        .members
        .iter()
        .map(|member| {
            let mut path = expansion.list.clone();
            if let Some(last) = path.segments.last_mut() {
                last.ident = member.clone();
            }
            path
        })
        .collect();
    all_instances(
        &expansion.attribute,
        &expansion.item,
        &args,
        &function,
        &paths,
    )
}

/// Chains of instances, of which `members` are the types of the table.
fn all_instances(
    attribute: &TokenStream,
    item: &TokenStream,
    args: &KernelArgs,
    function: &syn::ItemFn,
    members: &[syn::Path],
) -> TokenStream {
    let name = &function.sig.ident;
    let helpers = helpers(args, function);
    let all = instances::combinations(args, members);
    let targets: Vec<_> = (0..all.len())
        .map(|index| format_ident!("__RLX_{}_{index}", paths::name(name).to_uppercase()))
        .collect();
    let mut instances: Vec<_> = all.iter().zip(&targets).collect();
    let (mut chains, mut steps) = (TokenStream::new(), Vec::new());
    while let Some((_, step)) = instances.first() {
        steps.push((*step).clone());
        let rest = instances.split_off(longest(&instances));
        let values = instances.iter().map(|(values, _)| *values);
        let mut fetched = instances::fetched(values);
        fetched.extend(helpers.iter().cloned());
        let heads = instances.iter().map(|(values, target)| {
            let pairs = values.iter().map(|(name, value)| quote!(#name = #value;));
            quote!({ #(#pairs)* } #target)
        });
        let head = quote!({ #attribute } { #item } #(#heads)*);
        chains.extend(chain::start(&fetched, "__finish_kernel", &head));
        instances = rest;
    }
    let module = module(args, function, &targets);
    let unfinished = chain::Unfinished {
        name,
        at: name.span(),
        message: format!(
            "the kernel `{}` is not compiled, because a path in it is no item that kernels know, and so rustc finds no macro by it",
            paths::name(name)
        ),
        help: "mark the function or const `#[device]`, and import it by that path",
        steps: &steps,
        statics: &targets,
    }
    .to_tokens();
    quote!(#module #chains #unfinished)
}

/// Types that a chain fetches at the most. Each is one step in it, far from rustc's limit of 128.
const LONGEST: usize = 32;

/// How many of `instances` one chain takes: kernel and helpers are then parsed once for all of them.
fn longest(instances: &[(&Values, &syn::Ident)]) -> usize {
    let mut fetched = BTreeSet::new();
    for (index, (values, _)) in instances.iter().enumerate() {
        fetched.extend(instances::fetched([*values]).iter().map(paths::text));
        if index > 0 && fetched.len() > LONGEST {
            return index;
        }
    }
    instances.len()
}

/// The paths that an instance fetches: those of the body, and the consts of its attribute.
fn helpers(args: &KernelArgs, function: &syn::ItemFn) -> Vec<syn::Path> {
    let generics = generics::names(&function.sig.generics);
    let mut all = paths::collect(function, &generics);
    let limits = args.limits.iter().map(|(_, value)| value);
    for constant in args.workgroup_size.iter().flatten().chain(limits) {
        for path in paths::collect_expr(constant) {
            let text = paths::text(&path);
            let known = all.iter().any(|known| paths::text(known) == text);
            if !known && !generics.contains(&text) {
                all.push(path);
            }
        }
    }
    all
}
