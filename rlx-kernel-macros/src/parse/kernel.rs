//! `#[kernel(..)] fn`

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::ToTokens;
use rlx_kernel_ir::limits::LIMITS;
use rlx_kernel_ir::{
    CompileOptions, Expr, Function, ItemId, Kernel, KernelBinding, KernelParam, Origin, Override,
    Requires, Scalar, Type,
};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Token, bracketed};

use super::body::{BodyParser, Name};
use super::param::Host;
use super::requires::Requirement;
use super::{Resolver, Sink, generics, ty};
use crate::paths;

/// The arguments of the attribute.
#[derive(Default)]
pub struct KernelArgs {
    /// Invocations by dimension.
    pub workgroup_size: Option<Punctuated<syn::Expr, Token![,]>>,
    /// Expressions of the params.
    pub geometry: Option<Geometry>,
    /// The generic parameters with declared values, and what they stand for.
    pub instances: Vec<(syn::Ident, Instances)>,
    /// Limits by name.
    pub limits: Vec<(syn::Ident, syn::Expr)>,
    /// What is wrong with arguments; the others are there.
    pub errors: Vec<syn::Error>,
}

/// `threads(..)` or `groups(..)`
pub struct Geometry {
    /// Whether it counts workgroups rather than invocations.
    pub groups: bool,
    /// One to three expressions.
    pub extents: Vec<syn::Expr>,
}

/// What a generic parameter stands for.
pub enum Instances {
    /// `F in [A, B]`, `ROWS in [1, 2]`
    Listed(Vec<syn::Expr>),
    /// `F in formats::ALL`
    Table(syn::Path),
}

const EXPECTED: &str = "expected `workgroup_size(..)`, `threads(..)`, `groups(..)`, `instances(F in ..)` or `limits(..)`";

const EXPECTED_PARENTHESES: &str = "expected the argument's values in parentheses";

impl Parse for KernelArgs {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut args = Self::default();
        while !input.is_empty() {
            let key: syn::Ident = input
                .parse()
                .map_err(|error| syn::Error::new(error.span(), EXPECTED))?;
            // What is wrong with one argument leaves the others as they are.
            let body: proc_macro2::Group = if input.peek(syn::token::Paren) {
                input.parse()?
            } else {
                return Err(input.error(EXPECTED_PARENTHESES));
            };
            let argument = |body: ParseStream<'_>| args.argument(&key, body);
            if let Err(error) = argument.parse2(body.stream()) {
                args.errors.push(error);
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(args)
    }
}

impl KernelArgs {
    /// One argument: its name, and what is in its parentheses.
    fn argument(&mut self, key: &syn::Ident, body: ParseStream<'_>) -> syn::Result<()> {
        match key.to_string().as_str() {
            "workgroup_size" => {
                let sizes = Punctuated::<syn::Expr, Token![,]>::parse_terminated(body)?;
                if self.workgroup_size.is_some() {
                    return Err(syn::Error::new(
                        key.span(),
                        "a kernel has one `workgroup_size`",
                    ));
                }
                if sizes.is_empty() || sizes.len() > 3 {
                    return Err(syn::Error::new(
                        key.span(),
                        "`workgroup_size` takes one to three numbers",
                    ));
                }
                self.workgroup_size = Some(sizes);
            }
            "threads" | "groups" => {
                let extents: Vec<_> = Punctuated::<syn::Expr, Token![,]>::parse_terminated(body)?
                    .into_iter()
                    .collect();
                if extents.is_empty() || extents.len() > 3 {
                    return Err(syn::Error::new(
                        key.span(),
                        format!("`{key}` takes one to three expressions of the params"),
                    ));
                }
                if self.geometry.is_some() {
                    return Err(syn::Error::new(
                        key.span(),
                        "a kernel has one of `threads(..)` and `groups(..)`",
                    ));
                }
                self.geometry = Some(Geometry {
                    groups: key == "groups",
                    extents,
                });
            }
            "instances" => {
                while !body.is_empty() {
                    self.instances.push(parse_instances(body)?);
                    if !body.is_empty() {
                        body.parse::<Token![,]>()?;
                    }
                }
            }
            "limits" => self.limits(body)?,
            _ => {
                return Err(syn::Error::new(key.span(), EXPECTED));
            }
        }
        Ok(())
    }

    /// `limits(name = n, ..)`
    fn limits(&mut self, body: ParseStream<'_>) -> syn::Result<()> {
        while !body.is_empty() {
            let name: syn::Ident = body.parse()?;
            body.parse::<Token![=]>()?;
            let value = body.parse()?;
            if self.limits.iter().any(|(known, _)| *known == name) {
                let message = format!("`{name}` is given twice");
                return Err(syn::Error::new(name.span(), message));
            }
            self.limits.push((name, value));
            if !body.is_empty() {
                body.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }
}

/// `F in formats::ALL`, `F in [A, B]`, `ROWS in [1, 2]`
fn parse_instances(input: ParseStream<'_>) -> syn::Result<(syn::Ident, Instances)> {
    let name: syn::Ident = input.parse()?;
    input.parse::<Token![in]>()?;
    if !input.peek(syn::token::Bracket) {
        return Ok((name, Instances::Table(input.parse()?)));
    }
    let list;
    bracketed!(list in input);
    let values = Punctuated::<syn::Expr, Token![,]>::parse_terminated(&list)?;
    if values.is_empty() {
        return Err(syn::Error::new(
            name.span(),
            "a list of instances names at least one",
        ));
    }
    Ok((name, Instances::Listed(values.into_iter().collect())))
}

/// A parameter of a kernel's signature.
pub enum Parameter {
    /// `name: &[T]` or `&mut [T]`
    Slice {
        /// The name.
        name: syn::Ident,
        /// The element's type.
        elem: Box<syn::Type>,
        /// Whether it is `&mut`.
        writable: bool,
        /// The whole parameter.
        whole: Box<syn::PatType>,
    },
    /// `name: T`
    Plain {
        /// The name.
        name: syn::Ident,
        /// Its type, as its tokens tell it.
        host: Host,
        /// The whole parameter.
        whole: Box<syn::PatType>,
    },
    /// A parameter that has been reported.
    Refused {
        /// The name.
        name: syn::Ident,
    },
}

impl Parameter {
    /// The author's name for it.
    pub fn name(&self) -> &syn::Ident {
        match self {
            Self::Slice { name, .. } | Self::Plain { name, .. } | Self::Refused { name } => name,
        }
    }
}

impl Geometry {
    /// Names in it that are neither consts nor among `params`.
    pub fn unknown(&self, params: &[String]) -> Vec<syn::Path> {
        struct Names<'p>(&'p [String], Vec<syn::Path>);

        impl syn::visit::Visit<'_> for Names<'_> {
            fn visit_expr_call(&mut self, call: &syn::ExprCall) {
                call.args.iter().for_each(|arg| self.visit_expr(arg));
            }

            fn visit_expr_path(&mut self, path: &syn::ExprPath) {
                let name = paths::text(&path.path);
                let is_variable = path.path.get_ident().is_some() && !paths::is_const_name(&name);
                if is_variable && !self.0.contains(&name) {
                    self.1.push(path.path.clone());
                }
            }
        }

        let mut names = Names(params, Vec::new());
        for extent in &self.extents {
            syn::visit::Visit::visit_expr(&mut names, extent);
        }
        names.1
    }
}

/// The `u32` params of a signature, which a geometry may name.
pub fn counts(signature: &[Parameter]) -> Vec<String> {
    let names = signature.iter().filter_map(|parameter| match parameter {
        Parameter::Plain { name, host, .. } if host.is(Scalar::U32) => Some(paths::name(name)),
        _ => None,
    });
    names.collect()
}

/// Reports a type that no param has.
fn refuse_param(sink: &mut Sink, ty: &syn::Type) {
    match ty {
        syn::Type::Array(array) => refuse_param(sink, &array.elem),
        _ => ty::refuse(sink, ty),
    }
}

/// The parameters of a kernel; reports those that are none.
pub fn signature(sink: &mut Sink, function: &syn::ItemFn) -> Vec<Parameter> {
    let mut out = Vec::new();
    let generics = generics::floats(&function.sig.generics);
    let all_generics = generics::names(&function.sig.generics);
    if let syn::ReturnType::Type(_, ty) = &function.sig.output {
        sink.error_help(
            ty,
            "a kernel returns nothing",
            "write its results to a `&mut [T]` parameter",
        );
    }
    if let Some(token) = &function.sig.asyncness {
        sink.error_help(token, "a kernel is not `async`", "remove it");
    }
    for param in &function.sig.generics.params {
        match param {
            syn::GenericParam::Type(_) | syn::GenericParam::Const(_) => {}
            syn::GenericParam::Lifetime(lifetime) => {
                sink.error_help(lifetime, "a kernel needs no lifetimes", "remove it");
            }
        }
    }
    for input in &function.sig.inputs {
        let syn::FnArg::Typed(typed) = input else {
            sink.error_help(input, "a kernel has no `self`", "take slices and scalars");
            continue;
        };
        let syn::Pat::Ident(ident) = &*typed.pat else {
            sink.error_help(
                &typed.pat,
                "a kernel's parameter is a name",
                "name it: a host passes it by that name",
            );
            continue;
        };
        let name = ident.ident.clone();
        if ident.mutability.is_some() {
            sink.error_help(
                &typed.pat,
                "a kernel's parameter cannot be `mut`",
                "copy it: `let mut x = x;`",
            );
        }
        if let syn::Type::Reference(reference) = &*typed.ty {
            let writable = reference.mutability.is_some();
            match &*reference.elem {
                syn::Type::Slice(slice) => {
                    out.push(Parameter::Slice {
                        name,
                        elem: slice.elem.clone(),
                        writable,
                        whole: Box::new(typed.clone()),
                    });
                }
                inner => {
                    let text = ToTokens::to_token_stream(inner).to_string();
                    sink.error_help(
                        &typed.ty,
                        "a kernel takes slices and plain values",
                        format!("write `&[{text}]`, or `{text}` for a param"),
                    );
                    out.push(Parameter::Refused { name });
                }
            }
        } else if let Some(host) = Host::new(&typed.ty, &generics) {
            let refused = match host.leaf() {
                Host::Plain(leaf) => Some(leaf.scalar() == Some(Scalar::Bool)),
                _ => None,
            };
            if refused == Some(true) {
                let message = "`bool` has no place in memory that a GPU shares with its host";
                sink.error_help(&typed.ty, message, "use `u32`: 0 and 1");
                out.push(Parameter::Refused { name });
                continue;
            }
            if !host.check_lengths(sink, &all_generics) {
                out.push(Parameter::Refused { name });
                continue;
            }
            let before = out.iter().any(
                |parameter| matches!(parameter, Parameter::Plain { host, .. } if !host.is_sized()),
            );
            if before && host.layout().1 > rlx_kernel_ir::param::ROW {
                let message = format!(
                    "`{name}` begins at a multiple of {} bytes, and which one depends on the size of a param before it",
                    host.layout().1
                );
                let help = "write it before the params that are structs or arrays";
                sink.error_help(&typed.ty, message, help);
            }
            out.push(Parameter::Plain {
                name,
                host,
                whole: Box::new(typed.clone()),
            });
        } else {
            refuse_param(sink, &typed.ty);
            out.push(Parameter::Refused { name });
        }
    }
    out
}

/// The kernel of `function`, of which `overrides` are const parameters without declared values, and
/// `requirements` its conditions: the same in every instance.
pub fn kernel(
    (sink, overrides): (&mut Sink, Vec<(ItemId, Override)>),
    args: &KernelArgs,
    function: &syn::ItemFn,
    requirements: &[Requirement],
    resolver: &Resolver,
    lengths: &HashMap<String, u32>,
    origin: Origin,
) -> Kernel {
    let from = sink.spans.len();
    let signature = signature(sink, function);
    if let Some(geometry) = &args.geometry {
        let counts = counts(&signature);
        for path in geometry.unknown(&counts) {
            let name = paths::text(&path);
            let is_refused = |parameter: &Parameter| matches!(parameter, Parameter::Refused { name: known } if paths::name(known) == name);
            if signature.iter().any(is_refused) {
                continue;
            }
            let help = match counts.as_slice() {
                [] => "take one as `n: u32`".to_string(),
                counts => format!("it has `{}`", counts.join("`, `")),
            };
            sink.error_help(
                &path,
                format!("the kernel has no `u32` param `{name}`"),
                help,
            );
        }
    }
    let mut parser = BodyParser::new(sink, resolver, lengths);
    parser.in_kernel = true;
    parser.overrides = overrides;
    let (mut bindings, mut params) = (Vec::new(), Vec::new());
    for parameter in &signature {
        match parameter {
            Parameter::Slice {
                name,
                elem,
                writable,
                whole,
            } => {
                let elem = parser.element(elem);
                let span = parser.sink.span(whole);
                parser.bind(paths::name(name), Name::Binding(bindings.len()));
                bindings.push(KernelBinding {
                    name: paths::name(name),
                    elem,
                    writable: *writable,
                    span,
                });
            }
            Parameter::Plain { name, host, whole } => {
                let ty = parser.ty(&whole.ty);
                if rlx_kernel_ir::param::leaf(&ty) == &Type::Error {
                    parser.declare(name, Type::Error, true);
                    continue;
                }
                let span = parser.sink.span(whole);
                parser.bind(paths::name(name), Name::Param(params.len()));
                params.push(KernelParam {
                    name: paths::name(name),
                    ty,
                    widened: host.is_widened(),
                    span,
                });
            }
            Parameter::Refused { name } => {
                parser.declare(name, Type::Error, true);
            }
        }
    }
    let requires = conditions(&mut parser, requirements);
    parser.scopes.push(Vec::new());
    let body = parser.block(&function.block);
    let span = parser.sink.span(&function.sig.ident);
    let name = paths::name(&function.sig.ident);
    let workgroup_size_span = match &args.workgroup_size {
        Some(sizes) => parser.sink.span(sizes),
        None => span,
    };
    let (workgroup_size, workgroup_exprs) = parser.workgroup_size(args);
    let result = function.sig.output.clone();
    parser.sink.levels(&function.attrs, from);
    let (locals, workgroup) = (parser.locals, parser.workgroup);
    let function = Function {
        wgsl_name: name.clone(),
        name,
        // A result has been reported.
        ret: match &result {
            syn::ReturnType::Default => Type::Unit,
            syn::ReturnType::Type(..) => Type::Error,
        },
        locals,
        body,
        span,
        origin,
        ..Function::default()
    };
    Kernel {
        function,
        bindings,
        params,
        workgroup,
        workgroup_size,
        workgroup_exprs,
        workgroup_size_span,
        requires,
    }
}

/// The conditions of a kernel as far as the kernel language knows what they say; the host checks all.
fn conditions(parser: &mut BodyParser<'_>, requirements: &[Requirement]) -> Vec<Requires> {
    let known = parser.sink.diagnostics.len();
    let mut all = Vec::new();
    for requirement in requirements {
        let condition = parser.expr(&requirement.condition);
        if parser.sink.diagnostics.len() == known {
            let text = requirement.text.clone();
            all.push(Requires { condition, text });
        }
        // What names nothing is reported by rustc.
        parser.sink.diagnostics.truncate(known);
    }
    all
}

/// What a chain carries for a kernel.
pub struct Head {
    /// The attribute's arguments.
    pub args: TokenStream,
    /// The function.
    pub item: TokenStream,
    /// What it is compiled for: values for the declared parameters, and the static that holds the
    /// result.
    pub instances: Vec<(Vec<(syn::Ident, syn::Expr)>, syn::Ident)>,
}

impl Parse for Head {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let pairs = |input: ParseStream<'_>| {
            let mut pairs = Vec::new();
            while !input.is_empty() {
                let name = input.parse()?;
                input.parse::<Token![=]>()?;
                pairs.push((name, input.parse()?));
                input.parse::<Token![;]>()?;
            }
            Ok(pairs)
        };
        let group = |input: ParseStream<'_>| -> syn::Result<TokenStream> {
            let body;
            syn::braced!(body in input);
            body.parse()
        };
        let (args, item) = (group(input)?, group(input)?);
        let mut instances = Vec::new();
        while !input.is_empty() {
            let values = pairs.parse2(group(input)?)?;
            instances.push((values, input.parse()?));
        }
        Ok(Self {
            args,
            item,
            instances,
        })
    }
}

/// The limits of a kernel: what every device has, and what the attribute raises.
pub fn limits(
    sink: &mut Sink,
    args: &KernelArgs,
    resolver: &Resolver,
    lengths: &HashMap<String, u32>,
) -> CompileOptions {
    let mut options = CompileOptions::default();
    for (name, value) in &args.limits {
        let name_text = paths::name(name);
        let Some(limit) = options.limit_mut(&name_text) else {
            let names = LIMITS.iter().map(|limit| format!("`{}`", limit.name));
            let names = names.collect::<Vec<_>>().join(", ");
            let same = LIMITS.iter().find(|limit| {
                let theirs = name_text.replace('_', "").to_lowercase();
                limit.webgpu.to_lowercase() == theirs
            });
            let help = same.map_or_else(
                || format!("the limits are {names}"),
                |limit| format!("it is `{}` here", limit.name),
            );
            sink.error_help(name, format!("there is no limit `{name_text}`"), help);
            continue;
        };
        let default = *limit;
        match BodyParser::new(sink, resolver, lengths)
            .constant(value)
            .map(u32::try_from)
        {
            Some(Ok(asked)) if asked >= default => *limit = asked,
            Some(Ok(asked)) => sink.error_help(
                value,
                format!("a limit of {asked} raises nothing: every device has {default}"),
                "remove it, or write the number that the kernel needs",
            ),
            Some(Err(_)) => sink.error(value, "this number is too large"),
            None => sink.error_help(
                value,
                "a limit is a constant integer",
                "use literals and `#[device]` consts",
            ),
        }
    }
    options
}

impl BodyParser<'_> {
    /// The invocations by dimension, 64 where the attribute says nothing; and the expressions of
    /// those that name overrides.
    fn workgroup_size(&mut self, args: &KernelArgs) -> ([u32; 3], [Option<Expr>; 3]) {
        let (mut out, mut exprs) = ([1; 3], [const { None }; 3]);
        let Some(sizes) = &args.workgroup_size else {
            return ([64, 1, 1], exprs);
        };
        for ((out, expr), size) in out.iter_mut().zip(&mut exprs).zip(sizes) {
            let value = match self.overridden_size(size) {
                Some((parsed, default)) => {
                    *expr = Some(parsed);
                    Some(u64::from(default))
                }
                None => self.constant(size),
            };
            match value.map(u32::try_from) {
                Some(Ok(0)) => {
                    let message = "a workgroup has at least one invocation in each dimension";
                    self.sink.error(size, message);
                }
                Some(Ok(value)) => *out = value,
                Some(Err(_)) => self.sink.error(size, "this number is too large"),
                None => {
                    let help = "use literals, `#[device]` consts and const parameters";
                    self.sink
                        .error_help(size, "the size of a workgroup is a constant", help);
                }
            }
        }
        (out, exprs)
    }
}
