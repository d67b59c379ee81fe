//! Expressions.

mod length;
mod literal;
mod path;

use quote::ToTokens;
use rlx_kernel_ir::{BinaryOp, Block, Expr, ExprKind, Span, Type, UnaryOp};

use super::Target;
use super::body::BodyParser;
use super::stmt::is_statement;
use crate::paths;

impl BodyParser<'_> {
    /// An expression.
    pub fn expr(&mut self, expr: &syn::Expr) -> Expr {
        if is_statement(expr) {
            return self.statement_value(expr);
        }
        let span = self.sink.span_of(expr);
        match expr {
            syn::Expr::Paren(paren) => self.expr(&paren.expr),
            syn::Expr::Group(group) => self.expr(&group.expr),
            syn::Expr::Lit(lit) => self.literal(lit, span),
            syn::Expr::Path(path) => self.path(path, span),
            syn::Expr::Unary(unary)
                if self.shared_self
                    && matches!(unary.op, syn::UnOp::Deref(_))
                    && matches!(&*unary.expr, syn::Expr::Path(path) if path.path.is_ident("self")) =>
            {
                self.expr(&unary.expr)
            }
            syn::Expr::Unary(unary) => {
                let inner = Box::new(self.expr(&unary.expr));
                match unary.op {
                    syn::UnOp::Neg(_) => Expr::new(ExprKind::Unary(UnaryOp::Neg, inner), span),
                    syn::UnOp::Not(_) => Expr::new(ExprKind::Unary(UnaryOp::Not, inner), span),
                    syn::UnOp::Deref(_) => Expr::new(ExprKind::Deref(inner), span),
                    _ => self.refused(
                        expr,
                        span,
                        "this operator is not in the kernel language",
                        None,
                    ),
                }
            }
            syn::Expr::Binary(binary) => match operator(&binary.op) {
                Some(op) => {
                    let (left, right) = (self.expr(&binary.left), self.expr(&binary.right));
                    Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
                }
                None => self.refused(
                    expr,
                    span,
                    "this operator is not in the kernel language",
                    None,
                ),
            },
            syn::Expr::Cast(cast) => {
                let inner = self.expr(&cast.expr);
                let ty = self.ty(&cast.ty);
                Expr::typed(ExprKind::Cast(Box::new(inner)), span, ty)
            }
            syn::Expr::Index(index) => {
                let base = self.expr(&index.expr);
                let at = self.expr(&index.index);
                Expr::new(ExprKind::Index(Box::new(base), Box::new(at)), span)
            }
            syn::Expr::Field(field) => match &field.member {
                syn::Member::Named(name) => {
                    let base = self.expr(&field.base);
                    Expr::new(ExprKind::Field(Box::new(base), paths::name(name)), span)
                }
                syn::Member::Unnamed(_) => self.refused(
                    expr,
                    span,
                    "tuples are not in the kernel language",
                    Some("use a vector or an array"),
                ),
            },
            syn::Expr::Call(call) => self.call(call, span),
            syn::Expr::MethodCall(call) => {
                let receiver = self.expr(&call.receiver);
                let args = call.args.iter().map(|arg| self.expr(arg)).collect();
                let method = self.sink.span_at(&call.method);
                let name = paths::name(&call.method);
                if let Some(given) = &call.turbofish {
                    let message = "a method takes no generic arguments in a kernel";
                    let help = format!("call it by its type: `Type::{name}{}(..)`", {
                        let given = given.to_token_stream().to_string();
                        given.replace(' ', "")
                    });
                    return self.refused(given, span, message, Some(&help));
                }
                Expr::new(
                    ExprKind::Method(Box::new(receiver), name, method, args),
                    span,
                )
            }
            syn::Expr::Array(array) => {
                let elems = array.elems.iter().map(|elem| self.expr(elem)).collect();
                Expr::new(ExprKind::Array(elems), span)
            }
            syn::Expr::Repeat(repeat) => {
                let value = self.expr(&repeat.expr);
                match self.length(&repeat.len) {
                    Some(len) => Expr::new(ExprKind::Repeat(Box::new(value), len), span),
                    None => error(span),
                }
            }
            syn::Expr::If(branch) => {
                self.scopes.push(Vec::new());
                let condition = self.condition(&branch.cond, "`if let` cannot be used in a kernel");
                let then = self.block(&branch.then_branch);
                self.scopes.pop();
                let otherwise = branch
                    .else_branch
                    .as_ref()
                    .map(|(_, expr)| Box::new(self.expr(expr)));
                Expr::new(ExprKind::If(Box::new(condition), then, otherwise), span)
            }
            syn::Expr::Block(block) => {
                if let Some(label) = &block.label {
                    self.sink
                        .error_help(label, "blocks have no labels on a GPU", "write an `if`");
                }
                Expr::new(ExprKind::Block(self.block(&block.block)), span)
            }
            syn::Expr::Match(choice) => self.choice(choice, span),
            syn::Expr::Reference(reference) => {
                let inner = self.expr(&reference.expr);
                Expr::new(
                    ExprKind::Ref(reference.mutability.is_some(), Box::new(inner)),
                    span,
                )
            }
            syn::Expr::Macro(mac) if mac.mac.path.is_ident("trace") => self.trace(&mac.mac),
            syn::Expr::Macro(mac) => {
                self.refuse_macro(&mac.mac);
                error(span)
            }
            syn::Expr::Closure(_) => self.refused(
                expr,
                span,
                "closures cannot be used in a kernel",
                Some("write a `#[device]` function"),
            ),
            syn::Expr::Tuple(tuple) if tuple.elems.is_empty() => {
                Expr::new(ExprKind::Block(Block::default()), span)
            }
            syn::Expr::Tuple(_) => self.refused(
                expr,
                span,
                "tuples are not in the kernel language",
                Some("use a vector, an array, or several variables"),
            ),
            syn::Expr::Range(_) => self.refused(
                expr,
                span,
                "a range is not a value here",
                Some("ranges are for `for i in a..b`"),
            ),
            syn::Expr::Try(_) => self.refused(
                expr,
                span,
                "`?` cannot be used in a kernel",
                Some("a GPU has no errors to pass on"),
            ),
            syn::Expr::Await(_) | syn::Expr::Async(_) => self.refused(
                expr,
                span,
                "`async` cannot be used in a kernel",
                Some("invocations wait at `workgroup_barrier()`"),
            ),
            syn::Expr::Unsafe(_) => self.refused(
                expr,
                span,
                "`unsafe` means nothing in a kernel",
                Some("remove it"),
            ),
            syn::Expr::Let(_) => self.refused(
                expr,
                span,
                "`let` is no condition in a kernel",
                Some("compare with `==`, or write a `match`"),
            ),
            syn::Expr::Struct(literal) => self.structure(literal, span),
            _ => self.refused(expr, span, "this is not in the kernel language", None),
        }
    }

    /// A condition; what a refused pattern in it binds is declared in the scope that is open.
    pub fn condition(&mut self, condition: &syn::Expr, message: &str) -> Expr {
        let syn::Expr::Let(pattern) = condition else {
            return self.expr(condition);
        };
        let span = self.sink.span_of(condition);
        let help = "compare with `==`, or write a `match`";
        self.declare_refused(&pattern.pat);
        self.refused(pattern, span, message, Some(help))
    }

    fn refused(
        &mut self,
        node: &impl ToTokens,
        span: Span,
        message: &str,
        help: Option<&str>,
    ) -> Expr {
        match help {
            Some(help) => self.sink.error_help(node, message, help),
            None => self.sink.error(node, message),
        }
        error(span)
    }

    /// `Name { field: value, .. }`
    fn structure(&mut self, literal: &syn::ExprStruct, span: Span) -> Expr {
        let Some(Target::Struct(id, _)) = self.resolver.targets.get(&paths::text(&literal.path))
        else {
            let help = "mark the struct `#[device]`, and import it by that path";
            return self.refused(
                &literal.path,
                span,
                "this is no struct that kernels know",
                Some(help),
            );
        };
        let id = *id;
        if self.resolver.alone.contains(&id) {
            let message = format!(
                "`{}` has no fields, so it is no value",
                paths::text(&literal.path)
            );
            let help = "a kernel names it as a type alone: `Type::function(..)`";
            return self.refused(&literal.path, span, &message, Some(help));
        }
        if let Some(rest) = &literal.rest {
            let help = "give every field its value";
            return self.refused(rest, span, "`..` cannot be used in a kernel", Some(help));
        }
        let mut fields = Vec::new();
        for field in &literal.fields {
            let value = self.expr(&field.expr);
            match &field.member {
                syn::Member::Named(name) => fields.push((paths::name(name), value)),
                syn::Member::Unnamed(index) => {
                    self.sink
                        .error(index, "fields of a device struct have names");
                }
            }
        }
        Expr::new(ExprKind::Struct(id, fields), span)
    }

    fn choice(&mut self, choice: &syn::ExprMatch, span: Span) -> Expr {
        let value = self.expr(&choice.expr);
        let mut arms = Vec::new();
        for arm in &choice.arms {
            let mut patterns = Vec::new();
            self.scopes.push(Vec::new());
            self.pattern(&arm.pat, &mut patterns);
            let body = self.expr(&arm.body);
            self.scopes.pop();
            arms.push((patterns, body));
        }
        Expr::new(ExprKind::Match(Box::new(value), arms), span)
    }

    /// The values of a pattern; none for `_`.
    fn pattern(&mut self, pat: &syn::Pat, out: &mut Vec<Expr>) {
        match pat {
            syn::Pat::Wild(_) => {}
            syn::Pat::Guard(guarded) => {
                self.pattern(&guarded.pat, out);
                let span = self.sink.span(&guarded.guard);
                self.sink.error_help(
                    &guarded.guard,
                    "an arm of a `match` has no condition on a GPU",
                    "write an `if` in the arm",
                );
                out.push(error(span));
            }
            syn::Pat::Or(or) => or.cases.iter().for_each(|case| self.pattern(case, out)),
            syn::Pat::Lit(lit) => {
                let value = self.expr(&syn::Expr::Lit(syn::ExprLit {
                    attrs: Vec::new(),
                    lit: lit.lit.clone(),
                }));
                out.push(value);
            }
            syn::Pat::Path(path) => {
                let value = self.expr(&syn::Expr::Path(path.clone()));
                out.push(value);
            }
            syn::Pat::Ident(ident)
                if ident.subpat.is_none()
                    && ident
                        .ident
                        .to_string()
                        .chars()
                        .all(|char| !char.is_lowercase()) =>
            {
                let path = syn::ExprPath {
                    attrs: Vec::new(),
                    qself: None,
                    path: ident.ident.clone().into(),
                };
                let value = self.expr(&syn::Expr::Path(path));
                out.push(value);
            }
            other => {
                let span = self.sink.span(other);
                self.sink.error_help(
                    other,
                    "a pattern in a kernel is an integer, a const or `_`",
                    "list the values, `1 | 2 => …`, and end with `_ => …`",
                );
                self.declare_refused(other);
                out.push(error(span));
            }
        }
    }
}

/// An expression that has been reported.
pub fn error(span: Span) -> Expr {
    Expr::typed(ExprKind::Literal("0"), span, Type::Error)
}

fn operator(op: &syn::BinOp) -> Option<BinaryOp> {
    Some(match op {
        syn::BinOp::Add(_) => BinaryOp::Add,
        syn::BinOp::Sub(_) => BinaryOp::Sub,
        syn::BinOp::Mul(_) => BinaryOp::Mul,
        syn::BinOp::Div(_) => BinaryOp::Div,
        syn::BinOp::Rem(_) => BinaryOp::Rem,
        syn::BinOp::And(_) => BinaryOp::And,
        syn::BinOp::Or(_) => BinaryOp::Or,
        syn::BinOp::BitXor(_) => BinaryOp::BitXor,
        syn::BinOp::BitAnd(_) => BinaryOp::BitAnd,
        syn::BinOp::BitOr(_) => BinaryOp::BitOr,
        syn::BinOp::Shl(_) => BinaryOp::Shl,
        syn::BinOp::Shr(_) => BinaryOp::Shr,
        syn::BinOp::Eq(_) => BinaryOp::Eq,
        syn::BinOp::Lt(_) => BinaryOp::Lt,
        syn::BinOp::Le(_) => BinaryOp::Le,
        syn::BinOp::Ne(_) => BinaryOp::Ne,
        syn::BinOp::Ge(_) => BinaryOp::Ge,
        syn::BinOp::Gt(_) => BinaryOp::Gt,
        _ => return None,
    })
}
