//! From syn's trees to the kernel IR.

pub mod body;
pub mod expr;
pub mod format;
pub mod generics;
pub mod kernel;
pub mod labels;
pub mod level;
pub mod matrix;
pub mod methods;
pub mod module;
pub mod overrides;
pub mod param;
pub mod requires;
pub mod stmt;
pub mod traits;
pub mod ty;

use std::collections::{HashMap, HashSet};

use rlx_kernel_ir::{Bound, Diagnostic, FormatConsts, ItemId, Scalar, Span, Type};

use crate::spans::{Spans, ends};

/// What a path means.
#[derive(Clone, Debug)]
pub enum Target {
    /// A function or const.
    Item(ItemId),
    /// A struct, with its name in WGSL.
    Struct(ItemId, String),
    /// A trait.
    Trait(ItemId),
    /// A format.
    Format(FormatTarget),
    /// A parameter of a generic function.
    Generic(ItemId, Bound),
    /// A scalar type, which stands for a kernel's type parameter.
    Scalar(Type),
    /// A number, which stands for a kernel's const parameter.
    Number(i64, Scalar),
}

/// A format as a path's target.
#[derive(Clone, Debug)]
pub struct FormatTarget {
    /// The format.
    pub id: ItemId,
    /// What kernels may ask of it.
    pub consts: FormatConsts,
    /// Its functions by name.
    pub functions: HashMap<String, ItemId>,
    /// Its tables by name: their places in the module.
    pub tables: HashMap<String, usize>,
}

/// Paths as they are written in one item, and what they mean.
#[derive(Clone, Debug, Default)]
pub struct Resolver {
    /// Whole paths.
    pub targets: HashMap<String, Target>,
    /// The structs without fields, which are types and no values.
    pub alone: HashSet<ItemId>,
}

/// Spans and problems of one expansion.
#[derive(Default)]
pub struct Sink {
    /// Where nodes came from.
    pub spans: Spans,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// Levels of lints.
    pub levels: level::Levels,
}

impl Sink {
    /// Reports a problem at `node`.
    pub fn error(&mut self, node: &impl quote::ToTokens, message: impl Into<String>) {
        let span = self.spans.of(node);
        self.diagnostics.push(Diagnostic::new(span, message));
    }

    /// Reports a problem at `node`, and what to write instead.
    pub fn error_help(
        &mut self,
        node: &impl quote::ToTokens,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let span = self.spans.of(node);
        self.diagnostics
            .push(Diagnostic::new(span, message).help(help));
    }

    /// The span of `node`.
    pub fn span(&mut self, node: &impl quote::ToTokens) -> Span {
        self.spans.of(node)
    }

    /// The span of an expression.
    pub fn span_of(&mut self, expr: &syn::Expr) -> Span {
        self.spans.between(ends::first(expr), ends::last(expr))
    }

    /// The span of a name.
    pub fn span_at(&mut self, name: &syn::Ident) -> Span {
        self.spans.between(name.span(), name.span())
    }
}
