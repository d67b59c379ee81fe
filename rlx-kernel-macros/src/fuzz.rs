//! Mutated kernels: nothing that an author can type makes a macro panic.
//!
//! The corpus is every kernel, helper and format of the workspace, each with the items that it calls.
//! `RLX_FUZZ_SECONDS` says how long to go on, a few seconds without it; `RLX_FUZZ_SEED` where to
//! begin. A longer run without a seed begins somewhere else every time, and says where.

mod corpus;
mod mutation;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime};

use fastrand::Rng;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::chain::Entry;
use crate::generate::{device, format, kernel};
use crate::parse::generics;
use crate::parse::kernel::{Instances, KernelArgs};
use crate::paths;
use corpus::{Corpus, Seed};
use mutation::mutate;

/// What is expanded: an item, and the closures of the paths in it.
struct Case {
    seed: Seed,
    /// Values for each instance of a kernel.
    instances: Vec<TokenStream>,
    closures: Vec<Vec<Entry>>,
}

impl Case {
    fn new(corpus: &Corpus, rng: &mut Rng) -> Self {
        let seed = corpus.seeds[rng.usize(..corpus.seeds.len())].clone();
        let mut paths = Vec::new();
        let mut instances = Vec::new();
        if let Ok(args) = syn::parse2::<KernelArgs>(seed.attribute.clone())
            && seed.macro_name == "kernel"
        {
            for _ in 0..=rng.usize(..3) {
                let mut values = TokenStream::new();
                for (name, declared) in &args.instances {
                    let value: syn::Expr = match declared {
                        Instances::Listed(all) => all[rng.usize(..all.len())].clone(),
                        Instances::Table(_) => {
                            let format = &corpus.formats[rng.usize(..corpus.formats.len())];
                            let format = format_ident!("{format}");
                            syn::parse_quote!(#format)
                        }
                    };
                    if let syn::Expr::Path(path) = &value {
                        paths.push(path.path.clone());
                    }
                    values.extend(quote!(#name = #value;));
                }
                instances.push(values);
            }
        }
        if let Ok(function) = syn::parse2::<syn::ItemFn>(seed.item.clone()) {
            let generics = generics::names(&function.sig.generics);
            paths.extend(paths::collect(&function, &generics));
        }
        let closures = paths.iter().map(|path| corpus.closure(path, &seed));
        Self {
            closures: closures.collect(),
            instances,
            seed,
        }
    }

    fn mutate(&mut self, rng: &mut Rng) {
        let entries = self.closures.iter().flatten().count();
        match rng.u8(..8) {
            0 => self.seed.attribute = mutate(rng, self.seed.attribute.clone()),
            1 if entries > 0 => {
                let at = rng.usize(..entries);
                if let Some(entry) = self.closures.iter_mut().flatten().nth(at) {
                    entry.tokens = mutate(rng, entry.tokens.clone());
                }
            }
            _ => self.seed.item = mutate(rng, self.seed.item.clone()),
        }
    }

    /// Runs the macro as rustc would, and the end of its chain, with and without what the paths lead
    /// to.
    fn expand(&self) {
        let (attribute, item) = (&self.seed.attribute, &self.seed.item);
        let closures = self.closures.iter().map(|entries| {
            let entries = entries.iter().map(Entry::to_tokens);
            quote!({ #(#entries)* })
        });
        let closures: TokenStream = closures.collect();
        match self.seed.macro_name {
            "kernel" => {
                drop(kernel::attribute(attribute, item));
                let heads = self.instances.iter().enumerate().map(|(index, values)| {
                    let target = format_ident!("TARGET_{index}");
                    quote!({ #values } #target)
                });
                let heads: TokenStream = heads.collect();
                drop(kernel::finish(
                    quote!({ { #attribute } { #item } #heads } #closures),
                ));
                drop(kernel::finish(
                    quote!({ { #attribute } { #item } { } TARGET }),
                ));
            }
            "device" => {
                drop(device::attribute(attribute, item));
                drop(device::finish(quote!({ #item } #closures)));
            }
            _ => {
                drop(format::attribute(attribute, item));
                drop(device::finish(quote!({ { #attribute } #item } #closures)));
            }
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn no_mutated_kernel_makes_a_macro_panic() {
    let seconds = number("RLX_FUZZ_SECONDS");
    let limit = Duration::from_secs(seconds.unwrap_or(3));
    let anywhere = || {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let nanoseconds = now.map_or(0, |now| now.as_nanos() as u64);
        nanoseconds ^ u64::from(std::process::id()) << 32
    };
    let from = number("RLX_FUZZ_SEED").unwrap_or_else(|| seconds.map_or(7, |_| anywhere()));
    println!("RLX_FUZZ_SEED={from}");
    let corpus = Corpus::new();
    assert!(
        corpus.seeds.len() > 400 && corpus.formats.len() > 25,
        "the corpus holds the specs and the tests"
    );
    let mut rng = Rng::with_seed(from);
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < limit {
        let mut case = Case::new(&corpus, &mut rng);
        for _ in 0..rng.usize(..5) {
            case.mutate(&mut rng);
        }
        let caught = catch_unwind(AssertUnwindSafe(|| case.expand()));
        let Case {
            seed, instances, ..
        } = &case;
        assert!(
            caught.is_ok(),
            "RLX_FUZZ_SEED={from}, after {count} kernels: #[{}({})] {} {instances:?} {:?}",
            seed.macro_name,
            seed.attribute,
            seed.item,
            case.closures
                .iter()
                .flatten()
                .map(|entry| entry.tokens.to_string())
                .collect::<Vec<_>>()
        );
        count += 1;
    }
    assert!(count > 30, "only {count} kernels in {limit:?}");
    println!("{count} kernels");
}
