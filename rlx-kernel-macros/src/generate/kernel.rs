//! `#[kernel]`: one module of host code a kernel, one static a compiled instance.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use rlx_kernel_ir::{Compiled, Item, ItemId, Origin, Scalar, Type, compile};
use syn::parse::{Parse, ParseStream};

use super::instances::{self, Typed, Values};
use super::lint;
use super::overrides;
use super::params::{Params, argument_type, launch_type, launch_value};
use super::requires::{self, Scope};
use crate::chain::{self, State};
use crate::parse::generics;
use crate::parse::kernel::{self, Head, KernelArgs, Parameter};
use crate::parse::level::rustc_levels;
use crate::parse::module::Items;
use crate::parse::requires::requirements;
use crate::parse::{Resolver, Sink, Target};
use crate::{paths, report};

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

/// One chain an instance, and the module that knows them all.
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

/// One chain an instance, of which `members` are the types of the table.
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
    let chains = targets.iter().zip(&all).map(|(target, values)| {
        let pairs = values.iter().map(|(name, value)| quote!(#name = #value;));
        let head = quote!({ #attribute } { #item } { #(#pairs)* } #target);
        let mut fetched = instances::fetched(values);
        fetched.extend(helpers.iter().cloned());
        chain::start(&fetched, "__finish_kernel", &head)
    });
    let module = module(args, function, &targets);
    let unfinished = chain::Unfinished {
        name,
        at: name.span(),
        message: format!(
            "the kernel `{}` is not compiled, because a path in it is no item that kernels know, and so rustc finds no macro by it",
            paths::name(name)
        ),
        help: "mark the function or const `#[device]`, and import it by that path",
        steps: &targets,
        statics: true,
    }
    .to_tokens();
    quote!(#module #(#chains)* #unfinished)
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

/// The host side: params, dispatch, launch.
fn module(args: &KernelArgs, function: &syn::ItemFn, targets: &[syn::Ident]) -> TokenStream {
    let typed = Typed::new(args, function);
    let overrides = overrides::of(args, function);
    let overrides_struct = overrides::to_rust(&overrides);
    let (name, vis) = (&function.sig.ident, &function.vis);
    let docs = function
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("doc"));
    let levels = rustc_levels(&function.attrs);
    // Problems of the signature are reported where the kernel is compiled.
    let signature = kernel::signature(&mut Sink::default(), function);
    let params = Params::new(signature.iter().filter_map(|parameter| match parameter {
        Parameter::Plain { name, host, .. } => Some((name.clone(), host.clone())),
        Parameter::Slice { .. } | Parameter::Refused { .. } => None,
    }));
    let params_struct = params.to_rust();
    let has_params = !params.fields.is_empty();
    let slices = signature
        .iter()
        .filter(|parameter| matches!(parameter, Parameter::Slice { .. }))
        .count();

    let params_arg = has_params.then(|| quote!(params: Params,));
    let bytes = if has_params {
        quote!(::rlx_kernels::__private::bytemuck::bytes_of(&params))
    } else {
        quote!(&[])
    };
    let (extent_arg, extent, extent_pass) = extent(args, function, &params, &signature);
    let find = if typed.is_plain() {
        let target = &targets[0];
        quote! {
            /// The compiled kernel.
            pub fn info() -> &'static ::rlx_kernels::KernelInfo {
                &super::#target
            }
        }
    } else {
        let to_trait = typed.to_trait();
        quote! {
            /// The instance of that name, such as `Q4_0`.
            pub fn instance(name: &str) -> Option<&'static ::rlx_kernels::KernelInfo> {
                instances().iter().copied().find(|kernel| kernel.instance == name)
            }

            #to_trait
        }
    };
    let requirements = requirements(function).unwrap_or_default();
    let readers = overrides::readers(args, function, true, "u128");
    let required = requires::checks(&requirements, &signature, Scope::Dispatch, &readers);
    let kernel_name = paths::name(name);
    let readers = overrides::readers(args, function, false, "u128");
    let launch_required = requires::checks(&requirements, &signature, Scope::Launch, &readers);
    let launch = launch(
        &launch_required,
        &signature,
        has_params,
        (&typed, !overrides.is_empty()),
        &extent_arg,
        &extent_pass,
    );
    let check = quote! {
        if !instances().iter().any(|instance| ::core::ptr::eq(*instance, kernel)) {
            return Err(::rlx_kernels::DispatchError::Instance {
                kernel: KERNEL.into(),
                instance: kernel.label(),
            });
        }
        #required
        let extent = #extent;
    };
    let result =
        quote!(::core::result::Result<::rlx_kernels::Dispatch<H>, ::rlx_kernels::DispatchError>);
    let dispatch = if overrides.is_empty() {
        quote! {
            /// A dispatch of `kernel`, an instance of this kernel, over bindings in the order of its slices.
            ///
            /// # Errors
            /// [`DispatchError`](::rlx_kernels::DispatchError) where `kernel` is of another kernel, or the grid is too large.
            pub fn dispatch<H>(
                kernel: &'static ::rlx_kernels::KernelInfo,
                bindings: [H; #slices],
                #params_arg
                #extent_arg
            ) -> #result {
                #check
                ::rlx_kernels::Dispatch::new(::rlx_kernels::KernelRef::Static(kernel), bindings.into(), #bytes, extent)
            }
        }
    } else {
        let params_pass = has_params.then(|| quote!(params,));
        quote! {
            /// A dispatch of `kernel`, an instance of this kernel, over bindings in the order of its slices.
            ///
            /// # Errors
            /// [`DispatchError`](::rlx_kernels::DispatchError) where `kernel` is of another kernel, or the grid is too large.
            pub fn dispatch<H>(
                kernel: &'static ::rlx_kernels::KernelInfo,
                bindings: [H; #slices],
                #params_arg
                #extent_arg
            ) -> #result {
                dispatch_with(Overrides::default(), kernel, bindings, #params_pass #extent_pass)
            }

            /// The same, with values for the kernel's const parameters.
            ///
            /// # Errors
            /// As [`dispatch`], and where the workgroup would be empty.
            pub fn dispatch_with<H>(
                overrides: Overrides,
                kernel: &'static ::rlx_kernels::KernelInfo,
                bindings: [H; #slices],
                #params_arg
                #extent_arg
            ) -> #result {
                #check
                ::rlx_kernels::Dispatch::with_overrides(
                    ::rlx_kernels::KernelRef::Static(kernel),
                    overrides.values(),
                    bindings.into(),
                    #bytes,
                    extent,
                )
            }
        }
    };
    let simulate = super::simulate::simulate(
        &launch_required,
        &signature,
        has_params,
        (&typed, !overrides.is_empty()),
        &extent_arg,
        &extent_pass,
    );
    let about = format!("The compiled kernel `{name}` and how to run it.");
    quote! {
        #(#docs)*
        #[doc = ""]
        #[doc = #about]
        #(#levels)*
        #[allow(clippy::all, clippy::pedantic, unused_imports, unused_variables)]
        #vis mod #name {
            use super::*;

            #params_struct

            const KERNEL: &str = #kernel_name;

            /// Every compiled instance.
            pub fn instances() -> &'static [&'static ::rlx_kernels::KernelInfo] {
                static ALL: &[&::rlx_kernels::KernelInfo] = &[#(&super::#targets),*];
                ALL
            }

            #find

            #overrides_struct

            #dispatch

            #launch

            #simulate
        }
    }
}

/// The extra argument of a kernel without geometry, the extent, and how a launch passes it on.
fn extent(
    args: &KernelArgs,
    function: &syn::ItemFn,
    params: &Params,
    signature: &[Parameter],
) -> (TokenStream, TokenStream, TokenStream) {
    let Some(geometry) = &args.geometry else {
        return (
            quote!(threads: [u64; 3],),
            quote!(::rlx_kernels::geometry::Extent::Threads(threads)),
            quote!(threads,),
        );
    };
    let names = params
        .fields
        .iter()
        .filter(|field| field.host.is(Scalar::U32))
        .map(|field| &field.name);
    let variant = if geometry.groups {
        quote!(Groups)
    } else {
        quote!(Threads)
    };
    let readers = overrides::readers(args, function, true, "u64");
    let mut extents: Vec<TokenStream> = geometry
        .extents
        .iter()
        .map(|extent| {
            let known: Vec<String> = names.clone().map(paths::name).collect();
            requires::widened(extent, &known, "u64", &readers).to_token_stream()
        })
        .collect();
    if !geometry.unknown(&kernel::counts(signature)).is_empty() {
        // Reported where the kernel is compiled.
        extents.clear();
    }
    extents.resize(3, quote!(1));
    let extent = quote! {{
        #(let #names = u64::from(params.#names);)*
        ::rlx_kernels::geometry::Extent::#variant([#(#extents),*])
    }};
    (TokenStream::new(), extent, TokenStream::new())
}

fn launch(
    required: &TokenStream,
    signature: &[Parameter],
    has_params: bool,
    (typed, has_overrides): (&Typed<'_>, bool),
    extent_arg: &TokenStream,
    extent_pass: &TokenStream,
) -> TokenStream {
    let (mut args, mut names, mut handles, mut values) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for parameter in signature {
        match parameter {
            Parameter::Slice {
                name,
                elem,
                writable,
                ..
            } => {
                let mutable = writable.then(|| quote!(mut));
                let elem = element(elem, typed);
                args.push(quote!(#name: & #mutable ::rlx_kernels::Buffer<#elem, H>));
                handles.push(quote!(#name.handle().clone()));
                names.push(name);
            }
            Parameter::Plain { name, host, .. } => {
                let ty = launch_type(host);
                args.push(quote!(#name: #ty));
                values.push(launch_value(host, &quote!(#name)));
                names.push(name);
            }
            Parameter::Refused { .. } => {}
        }
    }
    let (generics, bounds, info) = (typed.launch_generics(), typed.launch_where(), typed.info());
    let params = has_params.then(|| quote!(Params::new(#(#values),*),));
    let result =
        quote!(::core::result::Result<::rlx_kernels::Dispatch<H>, ::rlx_kernels::DispatchError>);
    let docs = quote! {
        /// A dispatch over buffers of the kernel's own types. Outputs are borrowed mutably, so a launch that
        /// would alias one does not compile.
        ///
        /// # Errors
        /// [`DispatchError`](::rlx_kernels::DispatchError) where a requirement does not hold or the grid is too large.
    };
    if !has_overrides {
        return quote! {
            #docs
            pub fn launch<#generics H: Clone>(#(#args,)* #extent_arg) -> #result #bounds {
                #required
                dispatch(#info, [#(#handles),*], #params #extent_pass)
            }
        };
    }
    let arguments = typed.arguments();
    quote! {
        #docs
        pub fn launch<#generics H: Clone>(#(#args,)* #extent_arg) -> #result #bounds {
            launch_with::<#arguments H>(Overrides::default(), #(#names,)* #extent_pass)
        }

        /// The same, with values for the kernel's const parameters.
        ///
        /// # Errors
        /// As [`launch`], and where the workgroup would be empty.
        pub fn launch_with<#generics H: Clone>(
            overrides: Overrides,
            #(#args,)*
            #extent_arg
        ) -> #result #bounds {
            #required
            dispatch_with(overrides, #info, [#(#handles),*], #params #extent_pass)
        }
    }
}

/// The element type of a buffer, by paths that hold in the kernel's module.
pub(super) fn element(elem: &syn::Type, typed: &Typed<'_>) -> TokenStream {
    if let Some(parameter) = typed.element(elem) {
        return parameter;
    }
    if let Some(ty) = crate::parse::ty::plain(elem) {
        return argument_type(&ty);
    }
    if let syn::Type::Path(path) = elem
        && let Some(last) = path.path.segments.last()
        && last.ident == "Packed"
        && let Some(argument) = crate::parse::ty::argument(last)
    {
        return quote!(::rlx_kernels::Packed<#argument>);
    }
    // The host sees atomics as the integers that they hold.
    if let syn::Type::Path(path) = elem {
        match paths::text(&path.path).as_str() {
            "AtomicU32" => return quote!(u32),
            "AtomicI32" => return quote!(i32),
            _ => {}
        }
    }
    match elem {
        syn::Type::Path(path) => {
            let path = inside(&path.path);
            quote!(#path)
        }
        syn::Type::Array(array) => {
            let (elem, len) = (element(&array.elem, typed), &array.len);
            quote!([#elem; #len])
        }
        // Reported where the kernel is compiled.
        _ => quote!(()),
    }
}

/// `path` as the kernel's module sees it.
pub(super) fn inside(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    let Some(first) = path.segments.first_mut() else {
        return path;
    };
    if first.ident == "self" && first.arguments.is_none() {
        first.ident = syn::Ident::new("super", first.ident.span());
    } else if first.ident == "super" {
        let outer = first.clone();
        path.segments.insert(0, outer);
    }
    path
}

/// The end of a chain: compiles one instance.
pub fn finish(input: TokenStream) -> TokenStream {
    let parsed = syn::parse2::<State>(input).and_then(|state| {
        let head: Head = syn::parse2(state.head.clone())?;
        let args: KernelArgs = syn::parse2(head.args.clone())?;
        let function: syn::ItemFn = syn::parse2(head.item.clone())?;
        Ok((state, head, args, function))
    });
    match parsed {
        Ok((state, head, args, function)) => compile_instance(state, &head, &args, &function),
        Err(error) => report::syntax(&error),
    }
}

fn compile_instance(
    state: State,
    head: &Head,
    args: &KernelArgs,
    function: &syn::ItemFn,
) -> TokenStream {
    let mut all = instances::fetched(&head.instance);
    all.extend(helpers(args, function));
    let (mut resolved, entries) = state.resolve(&all);
    for (name, value) in &head.instance {
        let syn::Expr::Path(value) = value else {
            continue;
        };
        let text = paths::text(&value.path);
        if let Some((_, id)) = resolved.iter().find(|(path, _)| *path == text) {
            resolved.push((paths::name(name), *id));
        }
    }
    let mut sink = Sink::default();
    let mut items = match Items::new(&mut sink, &entries) {
        Ok(items) => items,
        Err(error) => return report::syntax(&error),
    };
    let (file, line) = chain::origin(&function.sig.ident);
    let origin = Origin {
        file: file.clone(),
        line,
    };
    let (mut resolver, lengths) = (items.resolver(&resolved), items.lengths(&resolved));
    let mut open = Vec::new();
    for parameter in overrides::parameters(&mut sink, args, function) {
        let id = ItemId(items.module.items.len());
        let item = parameter.to_override(&mut sink);
        resolver.targets.insert(item.name.clone(), Target::Item(id));
        items.module.items.push(Item::Override(item.clone()));
        open.push((id, item));
    }
    let instance = declared(&head.instance, function, &items, &mut resolver);
    let kernel = kernel::kernel(
        (&mut sink, open),
        args,
        function,
        &resolver,
        &lengths,
        origin,
    );
    let workgroup_size = kernel.workgroup_size;
    let options = kernel::limits(&mut sink, args, &resolver, &lengths);
    items.module.kernel = Some(kernel);
    let unparsed = std::mem::take(&mut sink.diagnostics);
    let compiled = match compile(&items.module, options) {
        Ok(compiled) if unparsed.is_empty() => Ok(compiled),
        other => Err(items.unreported(unparsed, other.err(), &entries, None)),
    };
    let name = &function.sig.ident;
    let target = &head.target;
    let finished = chain::finished(target);
    let implementation = Typed::new(args, function).implementation(&head.instance, target);
    let (errors, info, assertions) = match &compiled {
        Ok(compiled) => {
            let signature = kernel::signature(&mut Sink::default(), function);
            let params = Params::new(signature.iter().filter_map(|parameter| match parameter {
                Parameter::Plain { name, host, .. } => Some((name.clone(), host.clone())),
                Parameter::Slice { .. } | Parameter::Refused { .. } => None,
            }));
            let assertions = params.assertions(
                name,
                &compiled.validated.params,
                compiled.validated.params_size,
            );
            let lints = lint::of_kernel(&compiled.lints, &sink, args, function);
            (
                lint::lints(&lints, &sink, &entries, Some(function)),
                info(
                    (name, &instance),
                    (&file, line),
                    workgroup_size,
                    &numbers(&head.instance, function),
                    &super::tables::list(function, &head.instance, &items.module, compiled),
                    compiled,
                    (
                        &compiled.twin.encode(|span| sink.spans.location(span)),
                        &super::traced::info(compiled.traced.as_ref(), &sink.spans),
                    ),
                ),
                assertions,
            )
        }
        Err(problems) => (
            report::diagnostics(problems, &sink.spans, &entries),
            quote!(::rlx_kernels::KernelInfo::BROKEN),
            TokenStream::new(),
        ),
    };
    quote! {
        #errors
        #[doc(hidden)]
        static #target: ::rlx_kernels::KernelInfo = #info;
        #finished
        #assertions
        #implementation
    }
}

/// The numbers of an instance, by the names of their parameters.
fn numbers(values: &Values, function: &syn::ItemFn) -> Vec<(String, i64)> {
    let consts: Vec<_> = function.sig.generics.const_params().collect();
    let numbers = values.iter().filter_map(|(name, value)| {
        let param = consts.iter().find(|param| param.ident == *name)?;
        let value = crate::parse::overrides::value(value, const_type(param)?)?;
        Some((paths::name(name), value))
    });
    numbers.collect()
}

fn const_type(param: &syn::ConstParam) -> Option<Scalar> {
    match &param.ty {
        syn::Type::Path(path) => crate::parse::ty::scalar(&paths::text(&path.path)),
        _ => None,
    }
}

/// Gives the parameters of an instance their meaning; the instance's name.
fn declared(
    values: &Values,
    function: &syn::ItemFn,
    items: &Items,
    resolver: &mut Resolver,
) -> String {
    let consts: Vec<_> = function.sig.generics.const_params().collect();
    let mut label = Vec::new();
    for (name, value) in values {
        let name = paths::name(name);
        let constant = consts.iter().find(|param| param.ident == name);
        if let Some(scalar) = constant.and_then(|param| const_type(param)) {
            let Some(number) = crate::parse::overrides::value(value, scalar) else {
                continue;
            };
            label.push(if scalar == Scalar::Bool {
                format!("{name}={}", number != 0)
            } else {
                format!("{name}={number}")
            });
            resolver
                .targets
                .insert(name, Target::Number(number, scalar));
            continue;
        }
        let syn::Expr::Path(path) = value else {
            continue;
        };
        let text = paths::text(&path.path);
        if let Some(scalar) = crate::parse::ty::scalar(&text) {
            label.push(text);
            let target = Target::Scalar(Type::Scalar(scalar));
            resolver.targets.insert(name, target);
        } else if let Some(Target::Format(format)) = resolver.targets.get(&name)
            && let Some(format) = items.module.format(format.id)
        {
            label.push(format.name.clone());
        } else if let Some(Target::Struct(..)) = resolver.targets.get(&name) {
            label.extend(
                path.path
                    .segments
                    .last()
                    .map(|last| paths::name(&last.ident)),
            );
        }
    }
    label.join(", ")
}

fn info(
    (name, instance): (&syn::Ident, &str),
    (file, line): (&str, u32),
    workgroup_size: [u32; 3],
    numbers: &[(String, i64)],
    tables: &TokenStream,
    compiled: &Compiled,
    (twin, traced): (&[u8], &TokenStream),
) -> TokenStream {
    let cow = |text: &str| quote!(::rlx_kernels::__private::Cow::Borrowed(#text));
    let bindings = compiled.bindings.iter().map(|binding| {
        let (name, variable, element) = (cow(&binding.name), cow(&binding.variable), cow(&binding.element));
        let (stride, writable) = (binding.stride, binding.writable);
        quote!(::rlx_kernels::Binding { name: #name, variable: #variable, element: #element, stride: #stride, writable: #writable })
    });
    let params = compiled.params.iter().map(|param| {
        let (name, ty) = (cow(&param.name), cow(&param.ty));
        let (offset, size) = (param.offset, param.size);
        quote!(::rlx_kernels::ParamField { name: #name, ty: #ty, offset: #offset, size: #size })
    });
    let name = paths::name(name);
    let (name, entry) = (cow(&name), cow(&compiled.entry));
    let (instance, file, wgsl) = (cow(instance), cow(file), cow(&compiled.wgsl));
    let [x, y, z] = workgroup_size;
    let (params_size, workgroup_bytes) = (
        compiled.validated.params_size,
        compiled.validated.workgroup_bytes,
    );
    let validated = &compiled.validated;
    let (subgroup, f16, int64) = (validated.subgroup, validated.f16, validated.int64);
    let matrix = validated.matrix;
    let matrices = compiled.matrices.iter().copied().map(shape);
    let linear = compiled.linear;
    let limits = compiled.limits.iter().map(|required| {
        let (name, needed, default) = (
            cow(required.limit.name),
            required.needed,
            required.limit.default,
        );
        quote!(::rlx_kernels::RequiredLimit { name: #name, needed: #needed, default: #default })
    });
    let hash = chain::fnv1a(compiled.wgsl.as_bytes());
    let (overrides, workgroup) = overrides::info(compiled);
    let numbers = numbers.iter().map(|(name, value)| {
        let name = cow(name);
        quote!((#name, #value))
    });
    let twin = proc_macro2::Literal::byte_string(twin);
    quote! {
        ::rlx_kernels::KernelInfo {
            name: #name,
            instance: #instance,
            entry: #entry,
            file: #file,
            line: #line,
            bindings: ::rlx_kernels::__private::Cow::Borrowed(&[#(#bindings),*]),
            params: ::rlx_kernels::__private::Cow::Borrowed(&[#(#params),*]),
            tables: #tables,
            params_size: #params_size,
            workgroup_size: [#x, #y, #z],
            workgroup_bytes: #workgroup_bytes,
            features: ::rlx_kernels::Features { subgroup: #subgroup, f16: #f16, int64: #int64, matrix: #matrix },
            matrices: ::rlx_kernels::__private::Cow::Borrowed(&[#(#matrices),*]),
            linear: #linear,
            limits: ::rlx_kernels::__private::Cow::Borrowed(&[#(#limits),*]),
            numbers: ::rlx_kernels::__private::Cow::Borrowed(&[#(#numbers),*]),
            overrides: #overrides,
            workgroup: #workgroup,
            wgsl: #wgsl,
            hash: #hash,
            twin: ::rlx_kernels::__private::Cow::Borrowed(#twin),
            traced: #traced,
        }
    }
}

/// A product of matrices.
fn shape(shape: rlx_kernel_ir::matrix::Shape) -> TokenStream {
    let scalar = |scalar: Option<Scalar>| match scalar {
        None => quote!(::core::option::Option::None),
        Some(Scalar::F16) => {
            quote!(::core::option::Option::Some(
                ::rlx_kernels::MatrixScalar::F16
            ))
        }
        Some(_) => quote!(::core::option::Option::Some(
            ::rlx_kernels::MatrixScalar::F32
        )),
    };
    let (size, input, output) = (shape.size, scalar(shape.input), scalar(shape.output));
    quote!(::rlx_kernels::MatrixShape { m: #size, n: #size, k: #size, input: #input, output: #output })
}
