//! `#[requires(condition, ..)]`: what a launch checks on the host.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::Token;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

use crate::paths;

/// One condition and the parameters that it names.
pub struct Requirement {
    /// The condition.
    pub condition: syn::Expr,
    /// It as its author wrote it.
    pub text: String,
    /// Single names in it.
    pub names: BTreeSet<String>,
    /// Whether it names consts of a type, such as `F::ELEMS`.
    pub of_types: bool,
}

/// A condition as its author wrote it: tokens print with spaces that nobody writes.
fn written(condition: &syn::Expr) -> String {
    let text = condition.to_token_stream().to_string();
    text.replace(" . ", ".")
        .replace(" ()", "()")
        .replace(" :: ", "::")
}

/// The conditions of a kernel.
///
/// # Errors
/// Where an attribute holds no list of conditions.
pub fn requirements(function: &syn::ItemFn) -> syn::Result<Vec<Requirement>> {
    let mut all = Vec::new();
    for attr in function
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("requires"))
    {
        let conditions =
            attr.parse_args_with(Punctuated::<syn::Expr, Token![,]>::parse_terminated)?;
        for condition in conditions {
            let mut finder = Finder::default();
            finder.visit_expr(&condition);
            let Finder { names, of_types } = finder;
            all.push(Requirement {
                text: written(&condition),
                condition,
                names,
                of_types,
            });
        }
    }
    Ok(all)
}

/// The single names in an expression.
pub fn names(expr: &syn::Expr) -> BTreeSet<String> {
    let mut finder = Finder::default();
    finder.visit_expr(expr);
    finder.names
}

#[derive(Default)]
struct Finder {
    names: BTreeSet<String>,
    of_types: bool,
}

impl Visit<'_> for Finder {
    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        if path.path.segments.len() == 1 {
            self.names.insert(paths::text(&path.path));
        } else {
            self.of_types = true;
        }
        visit::visit_expr_path(self, path);
    }
}
