//! `#[format(..)] impl BlockFormat for Q8_0 { .. }`

mod defaults;

use std::rc::Rc;

use proc_macro2::TokenStream;
use rlx_kernel_ir::{Field, FieldKind, FormatConsts, Integers, OPEN};
use syn::parse::{Parse, ParseStream};
use syn::{Token, braced, bracketed};

pub use defaults::Defaults;

/// The arguments of the attribute.
pub struct FormatArgs {
    /// The scheme's name.
    pub name: syn::LitStr,
    /// The type's number in GGUF files.
    pub ggml: u32,
    /// Weights a block.
    pub elems: u32,
    /// Bytes a block.
    pub bytes: u32,
    /// Consecutive weights that share a scale, where weights are integers.
    pub run: Option<u32>,
    /// Fields, with their offsets.
    pub fields: Vec<Field>,
    /// Tables that its functions read.
    pub tables: Vec<TableArg>,
}

/// `name: [u32; N] = path::to::CONST` in `tables { .. }`.
pub struct TableArg {
    /// The accessor's name.
    pub name: syn::Ident,
    /// Words.
    pub len: u32,
    /// The words.
    pub words: syn::Path,
}

/// A format: its arguments and its functions.
pub struct FormatItem {
    /// The arguments.
    pub args: FormatArgs,
    /// The type's name.
    pub ident: syn::Ident,
    /// Documentation and other attributes.
    pub attrs: Vec<syn::Attribute>,
    /// Its functions, `decode8` among them.
    pub functions: Vec<Rc<syn::ItemFn>>,
    /// Whether it has a `minimum` of its own.
    pub has_minimum: bool,
}

impl Parse for FormatArgs {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (mut name, mut ggml, mut elems, mut bytes, mut layout) = (None, None, None, None, None);
        let mut run = None;
        let start = input.span();
        let mut tables = Vec::new();
        while !input.is_empty() {
            let key: syn::Ident = input.parse()?;
            if key == "layout" {
                let body;
                braced!(body in input);
                layout = Some((key, parse_layout(&body)?));
            } else if key == "tables" {
                let body;
                braced!(body in input);
                tables = parse_tables(&body)?;
            } else {
                input.parse::<Token![=]>()?;
                let number = || input.parse::<syn::LitInt>();
                match key.to_string().as_str() {
                    "name" => name = Some(input.parse::<syn::LitStr>()?),
                    "ggml" => ggml = Some(number()?),
                    "elems" => elems = Some(number()?),
                    "bytes" => bytes = Some(number()?),
                    "run" => run = Some(number()?),
                    _ => {
                        return Err(syn::Error::new(
                            key.span(),
                            "expected `name`, `ggml`, `elems`, `bytes`, `run`, `layout` or `tables`",
                        ));
                    }
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let missing = |what: &str| syn::Error::new(start, format!("`#[format]` needs `{what}`"));
        let elems_lit = elems.ok_or_else(|| missing("elems = .."))?;
        let bytes_lit = bytes.ok_or_else(|| missing("bytes = .."))?;
        let (layout_key, fields) = layout.ok_or_else(|| missing("layout { field: type, .. }"))?;
        let (elems, bytes) = (
            elems_lit.base10_parse::<u32>()?,
            bytes_lit.base10_parse::<u32>()?,
        );
        if elems == 0 || elems != 1 && !elems.is_multiple_of(8) {
            return Err(syn::Error::new(
                elems_lit.span(),
                "a block holds one weight, or a multiple of eight: kernels decode runs of eight",
            ));
        }
        let run = match run {
            Some(lit) => {
                let run = lit.base10_parse::<u32>()?;
                if !matches!(run, 8 | 16 | 32) || !elems.is_multiple_of(32) {
                    return Err(syn::Error::new(
                        lit.span(),
                        "`run` is 8, 16 or 32 weights of one scale, in blocks of a multiple of 32: activations are quantised by 32",
                    ));
                }
                Some(run)
            }
            None => None,
        };
        let args = Self {
            name: name.ok_or_else(|| missing("name = \"..\""))?,
            ggml: ggml.ok_or_else(|| missing("ggml = .."))?.base10_parse()?,
            elems,
            bytes,
            run,
            fields,
            tables,
        };
        let size: u64 = args
            .fields
            .iter()
            .map(|field| u64::from(size_of(field)))
            .sum();
        if size != u64::from(bytes) {
            let message =
                format!("the fields of this layout take {size} bytes, not `bytes = {bytes}`");
            return Err(syn::Error::new(bytes_lit.span(), message));
        }
        let name = args.name.value();
        let plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
        if !name.starts_with(|char: char| char.is_ascii_alphabetic()) || !name.chars().all(plain) {
            return Err(syn::Error::new(
                args.name.span(),
                "a scheme's name is made of letters, digits and `_`, as in `Q4_K`: functions are named after it",
            ));
        }
        let open = args.fields.iter().any(|field| field.count == Some(OPEN));
        if open && (args.fields.len() != 1 || elems != 1) {
            return Err(syn::Error::new(
                layout_key.span(),
                "only a block of one weight, which is its only field, goes on into the next block",
            ));
        }
        Ok(args)
    }
}

/// `name: [u32; N] = path, ..`
fn parse_tables(input: ParseStream<'_>) -> syn::Result<Vec<TableArg>> {
    let mut tables: Vec<TableArg> = Vec::new();
    while !input.is_empty() {
        let name: syn::Ident = input.parse()?;
        if tables.iter().any(|table| table.name == name) {
            let message = format!("the format has two tables named `{name}`");
            return Err(syn::Error::new(name.span(), message));
        }
        input.parse::<Token![:]>()?;
        let body;
        bracketed!(body in input);
        let elem: syn::Ident = body.parse()?;
        if elem != "u32" {
            let message = "a table holds words: `[u32; N]`";
            return Err(syn::Error::new(elem.span(), message));
        }
        body.parse::<Token![;]>()?;
        let len: syn::LitInt = body.parse()?;
        let number = len.base10_parse::<u32>()?;
        if !(1..=1 << 16).contains(&number) {
            let message = "a table holds 1 to 65536 words";
            return Err(syn::Error::new(len.span(), message));
        }
        input.parse::<Token![=]>()?;
        tables.push(TableArg {
            name,
            len: number,
            words: input.call(syn::Path::parse_mod_style)?,
        });
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(tables)
}

fn size_of(field: &Field) -> u32 {
    match field.count {
        None | Some(OPEN) => field.kind.size(),
        Some(count) => field.kind.size() * count,
    }
}

fn parse_layout(input: ParseStream<'_>) -> syn::Result<Vec<Field>> {
    let kind = |input: ParseStream<'_>| {
        let ident: syn::Ident = input.parse()?;
        FieldKind::named(&ident.to_string()).ok_or_else(|| {
            syn::Error::new(ident.span(), "a field of a layout is `u8`, `i8`, `u16`, `i16`, `u32`, `f16` or `f32`, or an array of them")
        })
    };
    let mut fields: Vec<Field> = Vec::new();
    let mut offset = 0;
    while !input.is_empty() {
        let name: syn::Ident = input.parse()?;
        if name.to_string().starts_with("r#") {
            let message = "a field's name is the accessor's: choose one that is no keyword";
            return Err(syn::Error::new(name.span(), message));
        }
        if fields.iter().any(|field| name == field.name) {
            return Err(syn::Error::new(
                name.span(),
                format!("the layout has two fields named `{name}`"),
            ));
        }
        input.parse::<Token![:]>()?;
        let (kind, count) = if input.peek(syn::token::Bracket) {
            let body;
            bracketed!(body in input);
            let kind = kind(&body)?;
            if body.is_empty() {
                (kind, Some(OPEN))
            } else {
                body.parse::<Token![;]>()?;
                let count: syn::LitInt = body.parse()?;
                let number = count.base10_parse::<u32>()?;
                if !(1..=1 << 16).contains(&number) {
                    let message = "a field holds 1 to 65536 elements";
                    return Err(syn::Error::new(count.span(), message));
                }
                (kind, Some(number))
            }
        } else {
            (kind(input)?, None)
        };
        let field = Field {
            name: name.to_string(),
            kind,
            count,
            offset,
        };
        offset += size_of(&field);
        fields.push(field);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(fields)
}

impl FormatItem {
    /// What kernels may ask of the format.
    pub fn consts(&self) -> FormatConsts {
        FormatConsts {
            elems: self.args.elems,
            bytes: self.args.bytes,
            integers: self.args.run.map(|run| Integers {
                run,
                minimum: self.has_minimum,
            }),
        }
    }

    /// Parses attribute and `impl`; default functions come from `defaults`.
    pub fn new(
        attribute: TokenStream,
        item: TokenStream,
        defaults: &mut Defaults,
    ) -> syn::Result<Self> {
        let args: FormatArgs = syn::parse2(attribute)?;
        let item: syn::ItemImpl = syn::parse2(item)?;
        let is_block_format = item.trait_.as_ref().is_some_and(|(path, _)| {
            path.segments
                .last()
                .is_some_and(|segment| segment.ident == "BlockFormat")
        });
        if !is_block_format {
            return Err(syn::Error::new_spanned(
                &item.self_ty,
                "`#[format]` goes on `impl BlockFormat for Name`",
            ));
        }
        let syn::Type::Path(path) = &*item.self_ty else {
            return Err(syn::Error::new_spanned(
                &item.self_ty,
                "expected the name of the format's type",
            ));
        };
        let ident = path.path.require_ident()?.clone();
        let mut functions = Vec::new();
        for member in item.items {
            match member {
                syn::ImplItem::Fn(function) => functions.push(Rc::new(syn::ItemFn {
                    attrs: function.attrs,
                    vis: syn::Visibility::Inherited,
                    modifiers: function.modifiers,
                    sig: function.sig,
                    block: Box::new(function.block),
                })),
                other => {
                    return Err(syn::Error::new_spanned(
                        other,
                        "a format holds functions; its consts come from the attribute",
                    ));
                }
            }
        }
        let has = |name: &str| functions.iter().any(|function| function.sig.ident == name);
        let needed: &[&str] = match args.run {
            Some(_) => &["quants", "scale"],
            None => &["decode"],
        };
        if let Some(name) = needed.iter().find(|name| !has(name)) {
            let of = if args.run.is_some() {
                " of integers, with a `run`,"
            } else {
                ""
            };
            let message = format!("a format{of} needs `{}`", signature(name));
            return Err(syn::Error::new(ident.span(), message));
        }
        for function in &functions {
            let name = function.sig.ident.to_string();
            let is_of_integers = INTEGERS.contains(&name.as_str());
            if !is_of_integers && !DECODING.contains(&name.as_str()) {
                continue;
            }
            if function.sig.inputs.len() != 2 && (args.run.is_some() || !is_of_integers) {
                return Err(syn::Error::new_spanned(
                    &function.sig,
                    format!("expected `{}`", signature(&name)),
                ));
            }
        }
        let has_minimum = has("minimum");
        for default in defaults.functions(args.run.is_some(), has_minimum)? {
            let is_written = functions
                .iter()
                .any(|function| function.sig.ident == default.sig.ident);
            if !is_written {
                functions.push(Rc::clone(default));
            }
        }
        Ok(Self {
            args,
            ident,
            attrs: item.attrs,
            functions,
            has_minimum,
        })
    }
}

/// The functions of `BlockFormat`.
pub const DECODING: [&str; 2] = ["decode", "decode8"];

/// The functions of `IntegerFormat`.
pub const INTEGERS: [&str; 3] = ["quants", "scale", "minimum"];

fn signature(name: &str) -> String {
    let ret = match name {
        "quants" => "u32",
        "decode8" => "[Vec4<f32>; 2]",
        _ => "f32",
    };
    format!("fn {name}(b: Block<Self>, i: u32) -> {ret}")
}
