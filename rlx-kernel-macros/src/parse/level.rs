//! Levels of lints: `#[allow(bank_conflict)]` and its kind on kernels, helpers and statements.

use quote::ToTokens;
use rlx_kernel_ir::Span;
use rlx_kernel_ir::lint::{Found, LINTS, Level, Lint};
use syn::punctuated::Punctuated;
use syn::{Meta, Token};

use super::Sink;
use crate::paths;

/// Levels that an author has set.
#[derive(Default)]
pub struct Levels {
    scopes: Vec<Scope>,
}

/// A level over the spans of one piece of code.
struct Scope {
    lint: &'static Lint,
    level: Level,
    from: u32,
    to: u32,
    /// Where it is set.
    at: Span,
}

impl Levels {
    /// The level of what is found, and where the author has set it. An `allow` at any of its places
    /// holds: the kernel's, or that of the helper which it goes through.
    pub fn of(&self, found: &Found) -> (Level, Option<Span>) {
        let notes = found.diagnostic.notes.iter().map(|(span, _)| *span);
        let places = std::iter::once(found.diagnostic.span).chain(notes);
        let set: Vec<&Scope> = places
            .filter_map(|place| self.innermost(found.lint, place))
            .collect();
        let with = |level| set.iter().find(|scope| scope.level == level);
        match with(Level::Allow).or(with(Level::Deny)).or(set.first()) {
            Some(scope) => (scope.level, Some(scope.at)),
            None => (found.lint.level, None),
        }
    }

    /// Lets the variable at `place`, which has no name of the author's, be unused.
    pub fn nameless(&mut self, place: Span) {
        self.scopes
            .extend(behind("unused_variables").into_iter().map(|lint| Scope {
                lint,
                level: Level::Allow,
                from: place.0,
                to: place.0 + 1,
                at: place,
            }));
    }

    fn innermost(&self, lint: &Lint, place: Span) -> Option<&Scope> {
        let around = self
            .scopes
            .iter()
            .filter(|scope| scope.lint == lint && (scope.from..scope.to).contains(&place.0));
        // Of two attributes on one item the last counts, as in rustc.
        around.rev().min_by_key(|scope| scope.to - scope.from)
    }
}

/// What an attribute sets: nothing where it is none of a level.
fn level(attr: &syn::Attribute) -> Option<Level> {
    let path = attr.path();
    if path.is_ident("allow") {
        Some(Level::Allow)
    } else if path.is_ident("warn") {
        Some(Level::Warn)
    } else if path.is_ident("deny") || path.is_ident("forbid") {
        Some(Level::Deny)
    } else {
        None
    }
}

/// Whether an attribute sets levels of lints.
pub fn is_level(attr: &syn::Attribute) -> bool {
    level(attr).is_some() || attr.path().is_ident("expect")
}

/// What an attribute of levels names.
fn names(attr: &syn::Attribute) -> Vec<syn::Path> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    let metas = attr.parse_args_with(parser).unwrap_or_default();
    let paths = metas.into_iter().filter_map(|meta| match meta {
        Meta::Path(path) => Some(path),
        _ => None,
    });
    paths.collect()
}

/// The lints behind a name, which may be a group of rustc's.
fn behind(name: &str) -> Vec<&'static Lint> {
    let of = |lint: &&Lint| match name {
        "warnings" => true,
        "unused" => lint.of_rustc || lint.name.starts_with("unused_"),
        name => lint.name == name,
    };
    LINTS.iter().filter(of).collect()
}

/// The attribute without the lints that rustc does not know; none where nothing is left.
pub fn for_rustc(attr: &syn::Attribute) -> Option<syn::Attribute> {
    if !is_level(attr) {
        return Some(attr.clone());
    }
    let is_ours = |path: &syn::Path| {
        let name = paths::text(path);
        // A name that is not quite ours has been reported.
        Lint::named(&name).is_some_and(|lint| !lint.of_rustc)
            || behind(&name).is_empty() && near(&name).is_some()
    };
    let all = names(attr);
    if !all.iter().any(is_ours) {
        return Some(attr.clone());
    }
    let left: Vec<_> = all.into_iter().filter(|path| !is_ours(path)).collect();
    if left.is_empty() {
        return None;
    }
    let (level, mut attr) = (attr.path().clone(), attr.clone());
    attr.meta = syn::parse_quote!(#level(#(#left),*));
    Some(attr)
}

/// The attributes of a statement, which syn puts on its first expression.
pub fn of_statement(stmt: &syn::Stmt) -> Vec<syn::Attribute> {
    match stmt {
        syn::Stmt::Local(local) => local.attrs.clone(),
        syn::Stmt::Expr(expr, _) => of_expr(expr),
        _ => Vec::new(),
    }
}

fn of_expr(expr: &syn::Expr) -> Vec<syn::Attribute> {
    use syn::Expr;
    let (attrs, first) = match expr {
        Expr::Assign(assign) => (&assign.attrs, Some(&assign.left)),
        Expr::Binary(binary) => (&binary.attrs, Some(&binary.left)),
        Expr::Index(index) => (&index.attrs, Some(&index.expr)),
        Expr::Call(call) => (&call.attrs, Some(&call.func)),
        Expr::Field(field) => (&field.attrs, Some(&field.base)),
        Expr::MethodCall(call) => (&call.attrs, Some(&call.receiver)),
        Expr::Cast(cast) => (&cast.attrs, Some(&cast.expr)),
        Expr::ForLoop(one) => (&one.attrs, None),
        Expr::While(one) => (&one.attrs, None),
        Expr::Loop(one) => (&one.attrs, None),
        Expr::If(one) => (&one.attrs, None),
        Expr::Match(one) => (&one.attrs, None),
        Expr::Block(one) => (&one.attrs, None),
        Expr::Return(one) => (&one.attrs, None),
        Expr::Path(one) => (&one.attrs, None),
        Expr::Unary(one) => (&one.attrs, None),
        Expr::Paren(one) => (&one.attrs, None),
        _ => return Vec::new(),
    };
    let mut all = attrs.clone();
    all.extend(first.map(|first| of_expr(first)).unwrap_or_default());
    all
}

impl Sink {
    /// Sets the levels that `attrs` give to the code whose spans begin at `from` and end here.
    pub fn levels(&mut self, attrs: &[syn::Attribute], from: u32) {
        for attr in attrs.iter().filter(|attr| is_level(attr)) {
            let at = self.span(attr);
            for path in names(attr) {
                self.level(attr, at, &path, from);
            }
        }
    }

    fn level(&mut self, attr: &syn::Attribute, at: Span, path: &syn::Path, from: u32) {
        let name = paths::text(path);
        let lints = behind(&name);
        if lints.is_empty() {
            // rustc has lints of its own, and says itself which names it does not know.
            if let Some(meant) = near(&name) {
                let all: Vec<_> = LINTS
                    .iter()
                    .map(|lint| format!("`{}`", lint.name))
                    .collect();
                let help = format!("write `{meant}`; lints of kernels are {}", all.join(", "));
                self.error_help(path, format!("there is no lint `{name}`"), help);
            }
            return;
        }
        let Some(level) = level(attr) else {
            if !lints.iter().all(|lint| lint.of_rustc) {
                let help = format!("write `#[allow({name})]`");
                self.error_help(
                    attr.path(),
                    "a lint of kernels is allowed, warned of or denied",
                    help,
                );
            }
            return;
        };
        let to = self.spans.len();
        self.levels
            .scopes
            .extend(lints.into_iter().map(|lint| Scope {
                lint,
                level,
                from,
                to,
                at,
            }));
    }
}

/// The lint that a name without one was meant for.
fn near(name: &str) -> Option<&'static str> {
    const SHORTEST: usize = 5;
    let name = name.strip_prefix("rlx::").unwrap_or(name);
    let close = |lint: &&Lint| {
        distance(name, lint.name) <= 2 || name.len() >= SHORTEST && lint.name.contains(name)
    };
    let ours = || LINTS.iter().filter(|lint| !lint.of_rustc);
    let found = ours()
        .filter(close)
        .min_by_key(|lint| distance(name, lint.name));
    found.map(|lint| lint.name)
}

/// Letters to insert, remove or replace (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&b) {
            let change = diagonal + usize::from(from != *to);
            diagonal = *cell;
            *cell = change.min(diagonal + 1).min(left + 1);
            left = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// The levels of a function that rustc knows, for what is generated from it.
pub fn rustc_levels(attrs: &[syn::Attribute]) -> impl Iterator<Item = proc_macro2::TokenStream> {
    let levels = attrs.iter().filter(|attr| is_level(attr));
    levels
        .filter_map(for_rustc)
        .map(ToTokens::into_token_stream)
}

#[cfg(test)]
mod tests {
    use super::{distance, near};

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("bank_conflict", "bank_conflict"), 0);
        assert_eq!(distance("bank_conflicts", "bank_conflict"), 1);
        assert_eq!(distance("bnak_conflict", "bank_conflict"), 2);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn lints_of_rustc_are_not_taken_for_ours() {
        for name in ["unused_parens", "dead_code", "unused_macros", "clippy::all"] {
            assert_eq!(near(name), None, "{name}");
        }
        assert_eq!(near("unused_params"), Some("unused_param"));
        assert_eq!(near("rlx::unused_binding"), Some("unused_binding"));
    }
}
