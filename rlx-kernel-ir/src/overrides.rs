//! Const parameters of a kernel that are set when its pipeline is made: WGSL's `override`s.

pub use rlx_kernel_twin::formula::{Term, value};

use crate::consteval;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::item::{Item, ItemId, Kernel, Module};
use crate::layout;
use crate::span::Span;
use crate::types::{Scalar, Type};
use crate::walk;

/// A const parameter of the kernel, set when its pipeline is made.
#[derive(Clone, Debug)]
pub struct Override {
    /// The author's name.
    pub name: String,
    /// Its type: an integer or `bool`.
    pub ty: Scalar,
    /// Its value where nothing else is said; bools are 0 and 1.
    pub default: i64,
    /// The parameter's place.
    pub span: Span,
}

impl Override {
    /// A value of it in WGSL.
    pub fn wgsl(&self, value: i64) -> String {
        match self.ty {
            Scalar::Bool => (value != 0).to_string(),
            Scalar::U32 => format!("{value}u"),
            _ if value == i64::from(i32::MIN) => "i32(-2147483648)".into(),
            _ => value.to_string(),
        }
    }
}

/// A number that depends on overrides, in postfix order.
pub type Formula = Vec<Term>;

impl Module {
    /// The override behind `id`.
    pub fn overridden(&self, id: ItemId) -> Option<&Override> {
        match self.items.get(id.0) {
            Some(Item::Override(item)) => Some(item),
            _ => None,
        }
    }

    /// The overrides of the kernel, in the order of its parameters.
    pub fn overrides(&self) -> Vec<(ItemId, &Override)> {
        let items = self.items.iter().enumerate();
        let overrides = items.filter_map(|(index, item)| match item {
            Item::Override(item) => Some((ItemId(index), item)),
            _ => None,
        });
        overrides.collect()
    }
}

/// The first override that `expr` names.
pub fn named_in<'m>(module: &'m Module, expr: &Expr) -> Option<&'m Override> {
    let mut found = None;
    walk::expr(expr, &mut |expr| {
        if let ExprKind::Const(id) = expr.kind {
            found = found.or_else(|| module.overridden(id));
        }
    });
    found
}

/// What is wrong with a place that must be known when the kernel is compiled, and names an override.
pub fn refused(item: &Override, at: Span, what: &str) -> Diagnostic {
    let name = &item.name;
    let message = format!(
        "`{name}` is set when the kernel's pipeline is made, but {what} must be known when the kernel is compiled"
    );
    Diagnostic::new(at, message).help(format!(
        "name the values that it may have: `#[kernel(.., instances({name} in [1, 2, 4]))]`"
    ))
}

/// `expr` as a formula; none where it holds anything else than numbers, consts and overrides.
pub fn formula(module: &Module, expr: &Expr) -> Option<Formula> {
    let mut terms = Vec::new();
    push(module, expr, &mut terms)?;
    Some(terms)
}

fn push(module: &Module, expr: &Expr, terms: &mut Formula) -> Option<()> {
    if let Some(value) = consteval::eval(module, &consteval::Env::new(), expr) {
        terms.push(Term::Number(u32::try_from(value).ok()?));
        return Some(());
    }
    match &expr.kind {
        ExprKind::Const(id) => {
            let overrides = module.overrides();
            let index = overrides.iter().position(|(item, _)| item == id)?;
            terms.push(Term::Override(index));
        }
        ExprKind::Cast(inner) => push(module, inner, terms)?,
        ExprKind::Binary(op, a, b) => {
            push(module, a, terms)?;
            push(module, b, terms)?;
            terms.push(match op {
                BinaryOp::Add => Term::Add,
                BinaryOp::Sub => Term::Sub,
                BinaryOp::Mul => Term::Mul,
                BinaryOp::Div => Term::Div,
                BinaryOp::Rem => Term::Rem,
                _ => return None,
            });
        }
        _ => return None,
    }
    Some(())
}

/// What overrides change about the workgroup of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkgroupFormulas {
    /// Invocations by dimension.
    pub size: [Formula; 3],
    /// Bytes of workgroup memory.
    pub bytes: Formula,
}

/// The formulas of a kernel's workgroup, of which variables of a known length take `fixed` bytes.
///
/// # Errors
/// A workgroup variable or size whose length is no formula.
pub fn workgroup(
    module: &Module,
    kernel: &Kernel,
    fixed: u32,
) -> Result<WorkgroupFormulas, Diagnostic> {
    let mut out = WorkgroupFormulas::default();
    for ((place, size), expr) in out
        .size
        .iter_mut()
        .zip(kernel.workgroup_size)
        .zip(&kernel.workgroup_exprs)
    {
        *place = match expr {
            None => vec![Term::Number(size)],
            Some(expr) => formula(module, expr).ok_or_else(|| {
                Diagnostic::new(
                    expr.span,
                    "the size of a workgroup is made of numbers, consts and const parameters",
                )
            })?,
        };
    }
    out.bytes.push(Term::Number(fixed));
    for var in &kernel.workgroup {
        let (Some(len), Type::Array(elem, _)) = (&var.len, &var.ty) else {
            continue;
        };
        let terms = formula(module, len).ok_or_else(|| {
            Diagnostic::new(
                len.span,
                "the length of an array is made of numbers, consts and const parameters",
            )
        })?;
        let stride =
            layout::on_device(module, elem).map_or(0, |(size, align)| size.next_multiple_of(align));
        out.bytes.extend(terms);
        // WGSL lays every variable out in multiples of 16 bytes.
        let round = [
            Term::Number(stride),
            Term::Mul,
            Term::Number(15),
            Term::Add,
            Term::Number(16),
            Term::Div,
            Term::Number(16),
            Term::Mul,
            Term::Add,
        ];
        out.bytes.extend(round);
    }
    Ok(out)
}
