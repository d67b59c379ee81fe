//! `trace!` on a GPU: a second text of the kernel, which keeps the values in a buffer.
//!
//! The plain text of a kernel has no trace of them. Where a kernel says `trace!` at all, it is printed
//! once more with a binding behind its slices: a word that counts the values, and a record for each,
//! of its site, its workgroup, its invocation and its bits.

use crate::builtin::Spelling;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind, UnaryOp};
use crate::infer::Typed;
use crate::item::{Function, Item, KernelBinding, Module};
use crate::span::Span;
use crate::types::{Scalar, Type};
use crate::validate::validate;
use crate::walk;
use crate::wgsl::{self, Printed};

/// The name of the buffer, for its binding and for errors.
pub const BINDING: &str = "trace";

/// A `trace!` of a kernel or of a helper, for one type of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The author's expression, near enough to tell one trace from another.
    pub what: String,
    /// The value's type, or that of its components.
    pub scalar: Scalar,
    /// Components.
    pub components: u32,
    /// The macro's place.
    pub span: Span,
}

impl Site {
    /// The site of `expr` in `function`, if it is a `trace!` of something with bits.
    pub fn of(module: &Module, typed: &Typed, function: &Function, expr: &Expr) -> Option<Self> {
        let ExprKind::Builtin(builtin, args) = &expr.kind else {
            return None;
        };
        let value = args.first().filter(|_| builtin.wgsl == Spelling::Trace)?;
        Some(Self {
            what: shown(module, typed, function, value),
            scalar: value.ty.scalar()?,
            components: match &value.ty {
                Type::Vector(_, len) => u32::from(*len),
                _ => 1,
            },
            span: expr.span,
        })
    }

    /// Words of its value.
    pub fn words(&self) -> u32 {
        let each = match self.scalar {
            Scalar::I64 | Scalar::U64 => 2,
            _ => 1,
        };
        self.components * each
    }
}

/// The sites of a module, numbered by their places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sites {
    pub all: Vec<Site>,
}

impl Sites {
    fn new(module: &Module, typed: &Typed) -> Self {
        let mut all: Vec<Site> = Vec::new();
        let helpers = typed.instances.iter().map(|instance| &instance.function);
        for function in typed.kernel.iter().chain(helpers) {
            walk::block(&function.body, &mut |expr| {
                let site = Site::of(module, typed, function, expr);
                all.extend(site.filter(|site| !all.contains(site)));
            });
        }
        Self { all }
    }

    /// Words of a value's place in a record: those of the largest.
    pub fn words(&self) -> u32 {
        self.all.iter().map(Site::words).max().unwrap_or(1)
    }
}

/// Words of a record before its value: the site, the workgroup's three numbers, the invocation.
pub const HEAD: u32 = 5;

/// The text of a kernel that keeps what `trace!` shows.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The module: native header, split form. The buffer is the binding after the slices.
    pub wgsl: String,
    /// The buffer's variable.
    pub variable: String,
    /// Words of a record.
    pub record: u32,
    /// What is shown, by the numbers in the records.
    pub sites: Vec<Site>,
}

/// Prints the kernel of `module` with its traces kept; none where it has none.
///
/// # Errors
/// A trace that reads a table of which the kernel knows nothing otherwise.
pub(crate) fn traced(
    module: &Module,
    typed: &Typed,
    plain: &Printed,
    fallback: Span,
) -> Result<Option<Traced>, Vec<Diagnostic>> {
    let sites = Sites::new(module, typed);
    if sites.all.is_empty() {
        return Ok(None);
    }
    let mut module = module.clone();
    if let Some(kernel) = &mut module.kernel {
        kernel.bindings.push(KernelBinding {
            name: BINDING.into(),
            elem: Type::Atomic(Scalar::U32),
            writable: true,
            span: fallback,
        });
    }
    let record = HEAD + sites.words();
    let printed = wgsl::print_traced(&module, typed, &sites)?;
    validate(&printed.text, fallback).map_err(|problem| vec![problem])?;
    if printed.tables != plain.tables {
        let message =
            "a `trace!` of this kernel reads a format's table that nothing else in it reads";
        let help = "trace a value that the kernel computes for a use of its own";
        return Err(vec![Diagnostic::new(fallback, message).help(help)]);
    }
    Ok(Some(Traced {
        wgsl: printed.text.as_str().to_string(),
        variable: printed.variables.last().cloned().unwrap_or_default(),
        record,
        sites: sites.all,
    }))
}

/// An expression in the author's words, near enough to tell one trace from another.
fn shown(module: &Module, typed: &Typed, function: &Function, expr: &Expr) -> String {
    let shown = |expr: &Expr| shown(module, typed, function, expr);
    let kernel = module.kernel.as_ref();
    let name = match &expr.kind {
        ExprKind::Local(local) => function.locals.get(local.0).map(|local| &local.name),
        ExprKind::Param(index) => kernel
            .and_then(|kernel| kernel.params.get(*index))
            .map(|param| &param.name),
        ExprKind::Binding(index) => kernel
            .and_then(|kernel| kernel.bindings.get(*index))
            .map(|binding| &binding.name),
        ExprKind::Workgroup(index) => kernel
            .and_then(|kernel| kernel.workgroup.get(*index))
            .map(|var| &var.name),
        ExprKind::Table(index) => module.tables.get(*index).map(|table| &table.name),
        ExprKind::Const(id) => match module.items.get(id.0) {
            Some(Item::Const(item)) => Some(&item.name),
            Some(Item::Override(item)) => Some(&item.name),
            _ => None,
        },
        ExprKind::Float(text) => Some(text),
        ExprKind::Field(base, name) => return format!("{}.{name}", shown(base)),
        ExprKind::Index(base, index) => return format!("{}[{}]", shown(base), shown(index)),
        ExprKind::Binary(op, a, b) => {
            return format!("{} {} {}", shown(a), op.text(), shown(b));
        }
        ExprKind::Unary(UnaryOp::Neg, inner) => return format!("-{}", shown(inner)),
        ExprKind::Unary(UnaryOp::Not, inner) => return format!("!{}", shown(inner)),
        ExprKind::Cast(inner) => return format!("{} as {}", shown(inner), expr.ty),
        ExprKind::Int(value) => return value.to_string(),
        ExprKind::Hex(value) => return format!("{value:#x}"),
        ExprKind::Bool(value) => return value.to_string(),
        ExprKind::Instance(index, _) => {
            let name = typed.instances.get(*index);
            let name = name.map_or("_", |instance| &*instance.function.name);
            return format!("{name}(..)");
        }
        ExprKind::Builtin(builtin, args) if args.is_empty() => {
            return format!("{}()", builtin.name);
        }
        ExprKind::Builtin(builtin, _) => return format!("{}(..)", builtin.name),
        _ => None,
    };
    name.map_or_else(|| "_".to_string(), Clone::clone)
}
