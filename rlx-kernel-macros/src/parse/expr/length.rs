//! Lengths of arrays: expressions of literals and consts.

use rlx_kernel_ir::Bound;
use rlx_kernel_ir::generic::open_length;

use crate::parse::Target;
use crate::parse::body::BodyParser;
use crate::parse::stmt::strip;
use crate::paths;

/// Elements of an array at the most: WGSL asks no more of a device.
const MAX_LENGTH: u64 = 65_535;

impl BodyParser<'_> {
    /// The length of an array.
    pub fn length(&mut self, expr: &syn::Expr) -> Option<u32> {
        if let syn::Expr::Path(path) = strip(expr)
            && let Some(Target::Generic(id, Bound::Const)) =
                self.resolver.targets.get(&paths::text(&path.path))
        {
            return Some(open_length(*id));
        }
        match self.length_value(expr) {
            Some(len) if (1..=MAX_LENGTH).contains(&len) => u32::try_from(len).ok(),
            Some(len) if len > 0 => {
                self.sink.error_help(
                    expr,
                    format!("an array of {len} elements is too large: {MAX_LENGTH} is the most"),
                    "take a slice as a parameter",
                );
                None
            }
            Some(_) => {
                self.sink.error(expr, "an array has at least one element");
                None
            }
            None => {
                self.unknown_length(expr);
                None
            }
        }
    }

    /// Reports a length that is no constant.
    pub fn unknown_length(&mut self, expr: &syn::Expr) {
        if let Some(item) = self.override_in(expr) {
            let name = item.name.clone();
            let message = format!(
                "`{name}` is set when the kernel's pipeline is made, but this must be known when the kernel is compiled"
            );
            let help = format!(
                "name the values that it may have: `#[kernel(.., instances({name} in [1, 2, 4]))]`"
            );
            self.sink.error_help(expr, message, help);
            return;
        }
        self.sink.error_help(
            expr,
            "the length of an array is a constant",
            "use a literal, a `#[device]` const, or a const of a format",
        );
    }

    /// The value of an expression of literals and consts.
    pub fn constant(&self, expr: &syn::Expr) -> Option<u64> {
        self.length_value(expr)
    }

    pub(super) fn length_value(&self, expr: &syn::Expr) -> Option<u64> {
        match expr {
            syn::Expr::Paren(paren) => self.length_value(&paren.expr),
            syn::Expr::Group(group) => self.length_value(&group.expr),
            syn::Expr::Cast(cast) => self.length_value(&cast.expr),
            syn::Expr::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(expr, None)] => self.length_value(expr),
                _ => None,
            },
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Int(value),
                ..
            }) => value.base10_parse().ok(),
            syn::Expr::Path(path) => {
                let name = paths::text(&path.path);
                if let Some(len) = self.lengths.get(&name) {
                    return Some(u64::from(*len));
                }
                if let Some(Target::Number(value, _)) = self.resolver.targets.get(&name) {
                    return u64::try_from(*value).ok();
                }
                let (format, member) = self.associated(&name)?;
                format.consts.number(&member).map(u64::from)
            }
            syn::Expr::Binary(binary) => {
                let (a, b) = (
                    self.length_value(&binary.left)?,
                    self.length_value(&binary.right)?,
                );
                match binary.op {
                    syn::BinOp::Add(_) => a.checked_add(b),
                    syn::BinOp::Sub(_) => a.checked_sub(b),
                    syn::BinOp::Mul(_) => a.checked_mul(b),
                    syn::BinOp::Div(_) => a.checked_div(b),
                    syn::BinOp::Rem(_) => a.checked_rem(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
