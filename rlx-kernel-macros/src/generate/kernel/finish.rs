//! The end of a chain: compiles the instances that it was started for.

use std::collections::{HashMap, HashSet};

use proc_macro2::{LineColumn, TokenStream};
use quote::quote;
use rlx_kernel_ir::lint::Found;
use rlx_kernel_ir::{Compiled, Diagnostic, Item, ItemId, Origin, Scalar, Type, compile};

use super::info::{Named, info};
use super::problems::Problems;
use crate::chain::{self, Entry, State};
use crate::generate::instances::{self, Typed, Values};
use crate::generate::params::Params;
use crate::generate::{lint, overrides as generated_overrides, tables};
use crate::parse::kernel::{self, Head, KernelArgs, Parameter};
use crate::parse::module::Items;
use crate::parse::requires::{Requirement, requirements};
use crate::parse::{Resolver, Sink, Target, overrides, ty};
use crate::{paths, report, timing};

/// The end of a chain.
pub fn finish(input: TokenStream) -> TokenStream {
    let parsed = syn::parse2::<State>(input).and_then(|state| {
        let head: Head = syn::parse2(state.head.clone())?;
        let args: KernelArgs = syn::parse2(head.args.clone())?;
        let function: syn::ItemFn = syn::parse2(head.item.clone())?;
        Ok((state, head, args, function))
    });
    let compiled = parsed.and_then(|(state, head, args, function)| {
        let mut instances = Instances::new(state, &head, &args, &function)?;
        Ok(instances.compile(&head))
    });
    compiled.unwrap_or_else(|error| report::syntax(&error))
}

/// What the instances of a kernel have in common.
struct Instances<'h> {
    args: &'h KernelArgs,
    function: &'h syn::ItemFn,
    entries: Vec<Entry>,
    resolved: Vec<(String, u64)>,
    sink: Sink,
    items: Items,
    resolver: Resolver,
    lengths: HashMap<String, u32>,
    /// The kernel's conditions.
    requirements: Vec<Requirement>,
    /// What the instance at hand has added to them.
    own: Vec<String>,
    /// What could not be parsed of the items.
    unparsed: Vec<Diagnostic>,
    params: Params,
    /// Params that the host reads.
    read: Vec<String>,
}

/// An instance and its name.
struct Instance {
    compiled: Result<Compiled, Vec<Diagnostic>>,
    workgroup_size: [u32; 3],
    label: String,
    tables: TokenStream,
}

impl<'h> Instances<'h> {
    fn new(
        state: State,
        head: &Head,
        args: &'h KernelArgs,
        function: &'h syn::ItemFn,
    ) -> syn::Result<Self> {
        let values = head.instances.iter().map(|(values, _)| values);
        let mut all = instances::fetched(values);
        all.extend(super::helpers(args, function));
        let (resolved, entries) = state.resolve(&all);
        let mut sink = Sink::default();
        let items = Items::new(&mut sink, &entries)?;
        let signature = kernel::signature(&mut Sink::default(), function);
        let params = signature
            .into_iter()
            .filter_map(|parameter| match parameter {
                Parameter::Plain { name, host, .. } => Some((name, host)),
                Parameter::Slice { .. } | Parameter::Refused { .. } => None,
            });
        // What cannot be parsed of them was reported at the attribute.
        let requirements = requirements(function).unwrap_or_default();
        Ok(Self {
            resolver: items.resolver(&resolved),
            lengths: items.lengths(&resolved),
            own: Vec::new(),
            unparsed: std::mem::take(&mut sink.diagnostics),
            params: Params::new(params),
            read: lint::read_by_host(args, &requirements),
            requirements,
            args,
            function,
            entries,
            resolved,
            sink,
            items,
        })
    }

    fn compile(&mut self, head: &Head) -> TokenStream {
        let name = &self.function.sig.ident;
        let (file, line) = chain::origin(name);
        let typed = Typed::new(self.args, self.function);
        let mut problems = Problems::default();
        let (mut statics, mut lints) = (TokenStream::new(), TokenStream::new());
        let (mut told, mut layouts) = (HashSet::new(), Vec::new());
        for (values, target) in &head.instances {
            timing::instance();
            let instance = self.instance(values);
            let info = match &instance.compiled {
                Ok(compiled) => {
                    let validated = &compiled.validated;
                    let layout = (validated.params.clone(), validated.params_size);
                    if !layouts.contains(&layout) {
                        layouts.push(layout);
                    }
                    let mut found =
                        lint::of_kernel(&compiled.lints, &self.sink, &self.read, self.function);
                    // What several instances have is said once.
                    found.retain(|found| told.insert(self.key(found)));
                    lints.extend(lint::lints(
                        &found,
                        &self.sink,
                        &self.entries,
                        Some(self.function),
                    ));
                    let named = Named {
                        name: paths::name(name),
                        label: &instance.label,
                        file: &file,
                        line,
                        workgroup_size: instance.workgroup_size,
                        numbers: numbers(values, self.function),
                        tables: &instance.tables,
                    };
                    info(&named, compiled, &self.sink.spans)
                }
                Err(found) => {
                    problems.add(found, &self.sink.spans, &self.describe(values));
                    quote!(::rlx_kernels::KernelInfo::BROKEN)
                }
            };
            let implementation = typed.implementation(values, target);
            statics.extend(quote! {
                #[doc(hidden)]
                static #target: ::rlx_kernels::KernelInfo = #info;
                #implementation
            });
        }
        let errors = problems.to_tokens(head.instances.len(), &self.sink.spans, &self.entries);
        let layouts = layouts.iter();
        let assertions = layouts.map(|(params, size)| self.params.assertions(name, params, *size));
        let finished = head
            .instances
            .first()
            .map(|(_, step)| chain::finished(step));
        quote! {
            #errors
            #lints
            #statics
            #finished
            #(#assertions)*
        }
    }

    /// Compiles the instance for `values`.
    fn instance(&mut self, values: &Values) -> Instance {
        self.stand_for(values);
        let shared = self.items.module.items.len();
        let mut open = Vec::new();
        for parameter in generated_overrides::parameters(&mut self.sink, self.args, self.function) {
            let id = ItemId(self.items.module.items.len());
            let item = parameter.to_override(&mut self.sink);
            let target = Target::Item(id);
            self.resolver.targets.insert(item.name.clone(), target);
            self.items.module.items.push(Item::Override(item.clone()));
            open.push((id, item));
        }
        let label = self.declared(values);
        let (file, line) = chain::origin(&self.function.sig.ident);
        let kernel = kernel::kernel(
            (&mut self.sink, open),
            self.args,
            self.function,
            &self.requirements,
            &self.resolver,
            &self.lengths,
            Origin { file, line },
        );
        let workgroup_size = kernel.workgroup_size;
        let options = kernel::limits(&mut self.sink, self.args, &self.resolver, &self.lengths);
        self.items.module.kernel = Some(kernel);
        let mut unparsed = self.unparsed.clone();
        unparsed.append(&mut self.sink.diagnostics);
        let compiled = match compile(&self.items.module, options) {
            Ok(compiled) if unparsed.is_empty() => Ok(compiled),
            other => Err(self
                .items
                .unreported(unparsed, other.err(), &self.entries, None)),
        };
        let tables = match &compiled {
            Ok(compiled) => tables::list(self.function, values, &self.items.module, compiled),
            Err(_) => TokenStream::new(),
        };
        self.items.module.items.truncate(shared);
        Instance {
            compiled,
            workgroup_size,
            label,
            tables,
        }
    }

    /// Lets the type parameters lead where their values do, with what belongs to those.
    fn stand_for(&mut self, values: &Values) {
        for key in self.own.drain(..) {
            self.resolver.targets.remove(&key);
            self.lengths.remove(&key);
        }
        let mut own = Vec::new();
        for (name, value) in values {
            let syn::Expr::Path(value) = value else {
                continue;
            };
            let text = paths::text(&value.path);
            let known = self.resolved.iter().find(|(path, _)| *path == text);
            own.extend(known.map(|(_, id)| (paths::name(name), *id)));
        }
        let targets = self.items.resolver(&own).targets;
        let lengths = self.items.lengths(&own);
        self.own
            .extend(targets.keys().chain(lengths.keys()).cloned());
        self.resolver.targets.extend(targets);
        self.lengths.extend(lengths);
    }

    /// Gives the parameters of an instance their meaning; the instance's name.
    fn declared(&mut self, values: &Values) -> String {
        let mut label = Vec::new();
        for (name, value) in values {
            let name = paths::name(name);
            if let Some((number, scalar)) = self.number(&name, value) {
                label.push(format!("{name}={}", number_text(number, scalar)));
                let target = Target::Number(number, scalar);
                self.resolver.targets.insert(name, target);
                continue;
            }
            let syn::Expr::Path(path) = value else {
                continue;
            };
            let text = paths::text(&path.path);
            if let Some(scalar) = ty::scalar(&text) {
                label.push(text);
                let target = Target::Scalar(Type::Scalar(scalar));
                self.resolver.targets.insert(name, target);
            } else if let Some(format) = self.format(&name) {
                label.push(format.to_string());
            } else if let Some(Target::Struct(..)) = self.resolver.targets.get(&name) {
                let last = path.path.segments.last();
                label.extend(last.map(|last| paths::name(&last.ident)));
            }
        }
        label.join(", ")
    }

    /// An instance in a message: `F = Q4_K, ROWS = 2`.
    fn describe(&self, values: &Values) -> String {
        let parts = values.iter().map(|(name, value)| {
            let name = paths::name(name);
            let value = match (self.number(&name, value), value) {
                (Some((number, scalar)), _) => number_text(number, scalar),
                (None, syn::Expr::Path(path)) => self
                    .format(&name)
                    .map_or_else(|| paths::text(&path.path), str::to_string),
                _ => "_".into(),
            };
            format!("{name} = {value}")
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    /// What is found at one place in several instances is one thing.
    fn key(&self, found: &Found) -> (&'static str, String, LineColumn, LineColumn) {
        let (first, last) = self.sink.spans.range(found.diagnostic.span);
        let message = found.diagnostic.message.clone();
        (found.lint.name, message, first.start(), last.end())
    }

    /// The value of a const parameter.
    fn number(&self, name: &str, value: &syn::Expr) -> Option<(i64, Scalar)> {
        let mut consts = self.function.sig.generics.const_params();
        let scalar = const_type(consts.find(|param| param.ident == name)?)?;
        Some((overrides::value(value, scalar)?, scalar))
    }

    /// The name of the format that a type parameter stands for.
    fn format(&self, name: &str) -> Option<&str> {
        match self.resolver.targets.get(name)? {
            Target::Format(format) => {
                let format = self.items.module.format(format.id)?;
                Some(&format.name)
            }
            _ => None,
        }
    }
}

fn number_text(number: i64, scalar: Scalar) -> String {
    if scalar == Scalar::Bool {
        (number != 0).to_string()
    } else {
        number.to_string()
    }
}

/// The numbers of an instance, by the names of their parameters.
fn numbers(values: &Values, function: &syn::ItemFn) -> Vec<(String, i64)> {
    let consts: Vec<_> = function.sig.generics.const_params().collect();
    let numbers = values.iter().filter_map(|(name, value)| {
        let param = consts.iter().find(|param| param.ident == *name)?;
        let value = overrides::value(value, const_type(param)?)?;
        Some((paths::name(name), value))
    });
    numbers.collect()
}

fn const_type(param: &syn::ConstParam) -> Option<Scalar> {
    match &param.ty {
        syn::Type::Path(path) => ty::scalar(&paths::text(&path.path)),
        _ => None,
    }
}
