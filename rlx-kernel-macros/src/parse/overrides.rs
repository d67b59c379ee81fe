//! Const parameters of kernels.

use rlx_kernel_ir::{BinaryOp, Expr, ExprKind, ItemId, Override, Scalar, Type};

use super::body::BodyParser;
use super::{Sink, Target, ty};
use crate::paths;

/// Declared values of a const parameter, and of one that has none its override.
pub struct ConstParameter {
    /// The author's name.
    pub name: syn::Ident,
    /// Its type.
    pub ty: Scalar,
    /// Its default.
    pub default: Option<i64>,
}

impl ConstParameter {
    /// The const parameter `param`; reports what is wrong with it.
    pub fn new(sink: &mut Sink, param: &syn::ConstParam) -> Option<Self> {
        let scalar = match &param.ty {
            syn::Type::Path(path) => ty::scalar(&paths::text(&path.path)),
            _ => None,
        };
        let Some(ty @ (Scalar::U32 | Scalar::I32 | Scalar::Bool)) = scalar else {
            let help = "write `u32`, `i32` or `bool`";
            let message = "this is no type of a kernel's const parameter";
            sink.error_help(&param.ty, message, help);
            return None;
        };
        let default = match param.default.as_ref() {
            None => None,
            Some((_, expr)) => {
                let value = value(expr, ty);
                if value.is_none() {
                    let name = ty.name();
                    let message =
                        format!("the default of a const parameter is a literal of `{name}`");
                    sink.error(expr, message);
                }
                value.or(Some(1))
            }
        };
        Some(Self {
            name: param.ident.clone(),
            ty,
            default,
        })
    }

    /// The override of a parameter without declared values.
    pub fn to_override(&self, sink: &mut Sink) -> Override {
        let name = paths::name(&self.name);
        let span = sink.span(&self.name);
        if self.default.is_none() {
            let ty = self.ty.name();
            let message = format!("`{name}` has neither a default nor declared values");
            let help = format!(
                "write `const {name}: {ty} = 2`, which a launch may override, or `instances({name} in [1, 2, 4])`"
            );
            sink.error_help(&self.name, message, help);
        }
        Override {
            name,
            ty: self.ty,
            default: self.default.unwrap_or(1),
            span,
        }
    }
}

/// The value of a literal of type `ty`.
pub fn value(expr: &syn::Expr, ty: Scalar) -> Option<i64> {
    match (expr, ty) {
        (syn::Expr::Paren(paren), _) => value(&paren.expr, ty),
        (syn::Expr::Group(group), _) => value(&group.expr, ty),
        (syn::Expr::Block(block), _) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(expr, None)] => value(expr, ty),
            _ => None,
        },
        (syn::Expr::Lit(lit), Scalar::Bool) => match &lit.lit {
            syn::Lit::Bool(value) => Some(i64::from(value.value)),
            _ => None,
        },
        (syn::Expr::Lit(lit), _) => match &lit.lit {
            syn::Lit::Int(value) => {
                let value = value.base10_parse::<i64>().ok()?;
                fits(value, ty).then_some(value)
            }
            _ => None,
        },
        (syn::Expr::Unary(unary), Scalar::I32) => match (&unary.op, &*unary.expr) {
            (syn::UnOp::Neg(_), syn::Expr::Lit(lit)) => match &lit.lit {
                syn::Lit::Int(value) => {
                    let value = -value.base10_parse::<i64>().ok()?;
                    fits(value, ty).then_some(value)
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn fits(value: i64, ty: Scalar) -> bool {
    match ty {
        Scalar::U32 => u32::try_from(value).is_ok(),
        _ => i32::try_from(value).is_ok(),
    }
}

impl BodyParser<'_> {
    /// The first override that an expression names.
    pub fn override_in(&self, expr: &syn::Expr) -> Option<&Override> {
        let named = paths::names_in(expr);
        let mut items = named.iter().filter_map(|name| {
            let (_, item) = self.overridden(name)?;
            Some(item)
        });
        items.next()
    }

    fn overridden(&self, name: &str) -> Option<(ItemId, &Override)> {
        let Target::Item(id) = self.resolver.targets.get(name)? else {
            return None;
        };
        let mut overrides = self.overrides.iter();
        let (id, item) = overrides.find(|(item, _)| item == id)?;
        Some((*id, item))
    }

    /// A size that names overrides: its expression, and its value by default. None where it names
    /// none, or is no arithmetic of numbers, consts and overrides.
    pub fn overridden_size(&mut self, expr: &syn::Expr) -> Option<(Expr, u32)> {
        self.override_in(expr)?;
        let parsed = self.size(expr)?;
        let module = rlx_kernel_ir::Module {
            tables: Vec::new(),
            items: self
                .overrides
                .iter()
                .map(|(_, item)| rlx_kernel_ir::Item::Override(item.clone()))
                .collect(),
            kernel: None,
        };
        let mut local = parsed.clone();
        self.renumber(&mut local);
        let terms = rlx_kernel_ir::overrides::formula(&module, &local)?;
        let defaults: Vec<_> = self
            .overrides
            .iter()
            .map(|(_, item)| item.default)
            .collect();
        let value = rlx_kernel_ir::overrides::value(&terms, &defaults)?;
        Some((parsed, u32::try_from(value).ok()?))
    }

    /// Makes the overrides in `expr` the items of a module of overrides alone.
    fn renumber(&self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Const(id) => {
                if let Some(index) = self.overrides.iter().position(|(item, _)| item == id) {
                    *id = ItemId(index);
                }
            }
            ExprKind::Binary(_, a, b) => {
                self.renumber(a);
                self.renumber(b);
            }
            _ => {}
        }
    }

    fn size(&mut self, expr: &syn::Expr) -> Option<Expr> {
        let span = self.sink.span(expr);
        if let Some(value) = self.constant(expr) {
            return Some(Expr::u32(value, span));
        }
        match expr {
            syn::Expr::Paren(paren) => self.size(&paren.expr),
            syn::Expr::Group(group) => self.size(&group.expr),
            syn::Expr::Cast(cast) => self.size(&cast.expr),
            syn::Expr::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(expr, None)] => self.size(expr),
                _ => None,
            },
            syn::Expr::Path(path) => {
                let (id, item) = self.overridden(&paths::text(&path.path))?;
                let ty = Type::Scalar(item.ty);
                (item.ty == Scalar::U32).then(|| Expr::typed(ExprKind::Const(id), span, ty))
            }
            syn::Expr::Binary(binary) => {
                let op = match binary.op {
                    syn::BinOp::Add(_) => BinaryOp::Add,
                    syn::BinOp::Sub(_) => BinaryOp::Sub,
                    syn::BinOp::Mul(_) => BinaryOp::Mul,
                    syn::BinOp::Div(_) => BinaryOp::Div,
                    syn::BinOp::Rem(_) => BinaryOp::Rem,
                    _ => return None,
                };
                let (a, b) = (self.size(&binary.left)?, self.size(&binary.right)?);
                let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
                Some(Expr::typed(kind, span, Type::U32))
            }
            _ => None,
        }
    }
}
