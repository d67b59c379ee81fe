//! The paths in a body that name items of the author's: what a chain has to fetch.

use std::collections::BTreeSet;

use quote::ToTokens;
use rlx_kernel_ir::Builtin;
use syn::visit::{self, Visit};

/// A path as text without spaces.
pub fn text(path: &syn::Path) -> String {
    path.segments
        .iter()
        .map(|segment| name(&segment.ident))
        .collect::<Vec<_>>()
        .join("::")
}

/// A name as its author means it: `r#type` is `type`.
pub fn name(ident: &syn::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map(str::to_string).unwrap_or(text)
}

/// Whether a name is a const's by Rust's convention, rather than a variable's.
pub fn is_const_name(name: &str) -> bool {
    !name.chars().any(char::is_lowercase)
}

/// Types that the language itself knows.
pub const KNOWN_TYPES: &[&str] = &[
    "bool",
    "i32",
    "u32",
    "f32",
    "f16",
    "i64",
    "u64",
    "Vec2",
    "Vec3",
    "Vec4",
    "Packed",
    "Block",
    "AtomicU32",
    "AtomicI32",
    "MatrixA",
    "MatrixB",
    "MatrixC",
    "Self",
];

/// Collects paths.
struct Collector {
    /// Names that are bound somewhere in the item: variables, parameters, type parameters.
    bound: BTreeSet<String>,
    seen: BTreeSet<String>,
    paths: Vec<syn::Path>,
}

/// The paths in `function` that name items, each once, in order; `generics` are names of types that
/// come from elsewhere.
pub fn collect(function: &syn::ItemFn, generics: &[String]) -> Vec<syn::Path> {
    let mut binder = Binder {
        bound: generics.iter().cloned().collect(),
    };
    binder.visit_item_fn(function);
    let mut collector = Collector {
        bound: binder.bound,
        seen: BTreeSet::new(),
        paths: Vec::new(),
    };
    collector.visit_signature_of(&function.sig);
    collector.visit_block(&function.block);
    collector.paths
}

/// The paths in the signatures and types of a trait.
pub fn collect_trait(item: &crate::parse::traits::DeviceTrait) -> Vec<syn::Path> {
    let mut collector = Collector {
        bound: BTreeSet::new(),
        seen: BTreeSet::new(),
        paths: Vec::new(),
    };
    for function in &item.functions {
        collector.visit_signature_of(&function.sig);
    }
    for (_, ty) in &item.consts {
        collector.visit_type(ty);
    }
    collector.paths
}

/// Whether a path can only be that of a const: `TILE`, `sizes::TILE`, `F::ELEMS`.
pub fn is_const_path(path: &syn::Path) -> bool {
    path.segments
        .last()
        .is_some_and(|segment| is_const_name(&name(&segment.ident)))
}

/// The structs in the fields of a struct.
pub fn collect_fields(structure: &syn::ItemStruct) -> Vec<syn::Path> {
    let mut collector = Collector {
        bound: BTreeSet::new(),
        seen: BTreeSet::new(),
        paths: Vec::new(),
    };
    for field in &structure.fields {
        collector.visit_type(&field.ty);
    }
    collector.paths
}

/// The paths in the functions and consts of a struct, but for the struct's own name.
pub fn collect_methods(methods: &crate::parse::methods::Methods) -> Vec<syn::Path> {
    let mut all: Vec<syn::Path> = Vec::new();
    let functions = methods.functions.iter().flat_map(|function| {
        let generics = &function.sig.generics;
        let mut paths = collect(function, &crate::parse::generics::names(generics));
        paths.extend(crate::parse::generics::traits(generics));
        paths
    });
    let consts = methods.consts.iter().flat_map(|item| {
        let mut paths = collect_expr(&item.expr);
        paths.extend(collect_type(&item.ty));
        paths
    });
    for path in functions.chain(consts) {
        let known = |other: &syn::Path| text(other) == text(&path);
        if !path.is_ident(&methods.ident) && !all.iter().any(known) {
            all.push(path);
        }
    }
    all
}

/// The paths in a type by itself.
fn collect_type(ty: &syn::Type) -> Vec<syn::Path> {
    let mut collector = Collector {
        bound: BTreeSet::new(),
        seen: BTreeSet::new(),
        paths: Vec::new(),
    };
    collector.visit_type(ty);
    collector.paths
}

/// The paths in an expression by itself.
pub fn collect_expr(expr: &syn::Expr) -> Vec<syn::Path> {
    let mut collector = Collector {
        bound: BTreeSet::new(),
        seen: BTreeSet::new(),
        paths: Vec::new(),
    };
    collector.visit_expr(expr);
    collector.paths
}

/// The single names in an expression.
pub fn names_in(expr: &syn::Expr) -> Vec<String> {
    struct Names(Vec<String>);

    impl Visit<'_> for Names {
        fn visit_expr_path(&mut self, path: &syn::ExprPath) {
            if path.path.segments.len() == 1 {
                self.0.push(text(&path.path));
            }
        }
    }

    let mut names = Names(Vec::new());
    names.visit_expr(expr);
    names.0
}

struct Binder {
    bound: BTreeSet<String>,
}

impl Visit<'_> for Binder {
    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.bound.insert(name(&pat.ident));
        visit::visit_pat_ident(self, pat);
    }
}

/// Names in the patterns of a `match` that are consts'.
struct MatchedNames(Vec<syn::Ident>);

impl Visit<'_> for MatchedNames {
    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        if is_const_name(&name(&pat.ident)) {
            self.0.push(pat.ident.clone());
        }
    }
}

impl Collector {
    fn visit_signature_of(&mut self, sig: &syn::Signature) {
        for input in &sig.inputs {
            self.visit_fn_arg(input);
        }
        self.visit_return_type(&sig.output);
    }

    fn add(&mut self, path: &syn::Path) {
        let mut path = path.clone();
        for segment in &mut path.segments {
            segment.arguments = syn::PathArguments::None;
        }
        if self.seen.insert(text(&path)) {
            self.paths.push(path);
        }
    }

    fn value(&mut self, path: &syn::Path, called: bool) {
        let name = text(path);
        let Some(last) = path.segments.last() else {
            return;
        };
        let first = path
            .segments
            .first()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        if path.segments.len() == 1 {
            // What is neither called nor named as a const can only be a variable.
            let local = self.bound.contains(&name) || !called && !is_const_name(&name);
            if !local && !Builtin::is_function(&name) && !matches!(name.as_str(), "Self" | "self") {
                self.add(path);
            }
            return;
        }
        let owner = path.segments[path.segments.len() - 2].ident.to_string();
        if KNOWN_TYPES.contains(&first.as_str())
            || self.bound.contains(&first)
            || first == "core"
            || first == "std"
        {
            return;
        }
        if owner.starts_with(char::is_uppercase) && last.ident != owner {
            // An associated function or const: the item is the type.
            let mut owner = path.clone();
            owner.segments.pop();
            owner.segments.pop_punct();
            self.add(&owner);
        } else {
            self.add(path);
        }
    }
}

impl Visit<'_> for Collector {
    fn visit_expr(&mut self, expr: &syn::Expr) {
        match expr {
            syn::Expr::Call(call) => {
                if let syn::Expr::Path(path) = &*call.func {
                    self.value(&path.path, true);
                    // `MatrixA::<f16, TILE>::zero()`
                    for segment in &path.path.segments {
                        self.visit_path_arguments(&segment.arguments);
                    }
                } else {
                    self.visit_expr(&call.func);
                }
                for arg in &call.args {
                    self.visit_expr(arg);
                }
            }
            syn::Expr::Path(path) => self.value(&path.path, false),
            syn::Expr::Struct(literal) => {
                if !literal.path.is_ident("Self") {
                    self.add(&literal.path);
                }
                visit::visit_expr(self, expr);
            }
            _ => visit::visit_expr(self, expr),
        }
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        // What is shown may name helpers.
        if mac.path.is_ident("trace")
            && let Ok(value) = mac.parse_body::<syn::Expr>()
        {
            self.visit_expr(&value);
        }
    }

    fn visit_arm(&mut self, arm: &syn::Arm) {
        // `NAME => ..` in a match parses as a binding; consts are upper-case.
        let mut names = MatchedNames(Vec::new());
        names.visit_pat(&arm.pat);
        for name in names.0 {
            self.add(&syn::Path::from(name));
        }
        visit::visit_arm(self, arm);
    }

    fn visit_type_path(&mut self, ty: &syn::TypePath) {
        let name = text(&ty.path);
        let first = ty
            .path
            .segments
            .first()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        let last = ty
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        if !KNOWN_TYPES.contains(&first.as_str())
            && !KNOWN_TYPES.contains(&last.as_str())
            && !self.bound.contains(&name)
            && is_item_type(ty)
        {
            self.add(&ty.path);
        }
        visit::visit_type_path(self, ty);
    }

    fn visit_attribute(&mut self, _: &syn::Attribute) {}
}

/// Whether a type may be an item of the author's rather than a type that the language refuses.
fn is_item_type(ty: &syn::TypePath) -> bool {
    const REFUSED: &[&str] = &[
        "u8", "i8", "u16", "i16", "u64", "i64", "usize", "isize", "u128", "i128", "f64", "f16",
        "char", "str", "String", "Vec", "Option", "Result", "Box",
    ];
    let last = ty
        .path
        .segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default();
    ty.qself.is_none() && !REFUSED.contains(&last.as_str()) && !ty.path.to_token_stream().is_empty()
}
