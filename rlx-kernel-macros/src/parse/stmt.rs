//! Statements.

use rlx_kernel_ir::{BinaryOp, Block, Expr, ExprKind, Stmt, Type, WorkgroupVar};

use super::body::{BodyParser, Name};
use super::expr::error;
use super::level;
use crate::paths;
use crate::spans::ends;

impl BodyParser<'_> {
    /// A block in a scope of its own.
    pub fn block(&mut self, block: &syn::Block) -> Block {
        self.scopes.push(Vec::new());
        let mut out = Block::default();
        let last = block.stmts.len().saturating_sub(1);
        for (index, stmt) in block.stmts.iter().enumerate() {
            let from = self.sink.spans.len();
            match stmt {
                syn::Stmt::Local(local) => self.local(local, &mut out),
                syn::Stmt::Item(item) => {
                    self.sink.error_help(
                        item,
                        "items cannot be declared inside a kernel",
                        "move it out, and mark it `#[device]`",
                    );
                }
                syn::Stmt::Macro(stmt) if stmt.mac.path.is_ident("trace") => {
                    let trace = self.trace(&stmt.mac);
                    out.stmts.push(Stmt::Expr(trace));
                }
                syn::Stmt::Macro(stmt) => {
                    self.refuse_macro(&stmt.mac);
                    let span = self.sink.span(&stmt.mac);
                    if stmt.semi_token.is_none() && index == last {
                        out.tail = Some(Box::new(error(span)));
                    } else {
                        out.stmts.push(Stmt::Expr(error(span)));
                    }
                }
                // A lone `;`.
                syn::Stmt::Expr(syn::Expr::Verbatim(tokens), _) if tokens.is_empty() => {}
                syn::Stmt::Expr(expr, semi) => {
                    if semi.is_none() && index == last && !is_statement(expr) {
                        let tail = self.expr(expr);
                        out.tail = Some(Box::new(tail));
                    } else {
                        self.statement(expr, &mut out);
                    }
                }
            }
            self.sink.levels(&level::of_statement(stmt), from);
        }
        self.scopes.pop();
        out
    }

    /// `trace!(value)`
    pub fn trace(&mut self, mac: &syn::Macro) -> Expr {
        let span = self.sink.span(mac);
        let Ok(value) = mac.parse_body::<syn::Expr>() else {
            let help = "write `trace!(x)`, one for each value";
            self.sink.error_help(mac, "`trace!` shows one value", help);
            return error(span);
        };
        let value = self.expr(&value);
        let name = self.sink.span(&mac.path);
        let named = ExprKind::Named("trace!".into(), name, vec![value]);
        Expr::new(named, span)
    }

    pub fn refuse_macro(&mut self, mac: &syn::Macro) {
        let name = paths::text(&mac.path);
        let help = match name.as_str() {
            "println" | "print" | "dbg" | "eprintln" => {
                "a GPU cannot print; write the value to a slice, or `trace!(value)`, which the CPU twin shows"
            }
            "assert" | "assert_eq" | "debug_assert" | "panic" | "unreachable" | "todo" => {
                "a GPU cannot stop; guard with `if`, or check on the host"
            }
            "vec" => "there is no heap on a GPU: write an array, `[0.0; N]`",
            _ => "write a `#[device]` function instead",
        };
        self.sink
            .error_help(mac, format!("`{name}!` cannot be used in a kernel"), help);
    }

    fn local(&mut self, local: &syn::Local, out: &mut Block) {
        let (pat, annotated) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        let syn::Pat::Ident(ident) = pat else {
            if let syn::Pat::Wild(_) = pat
                && let Some(init) = &local.init
            {
                let value = self.expr(&init.expr);
                out.stmts.push(Stmt::Expr(value));
                return;
            }
            self.sink
                .error_help(pat, "a `let` binds one name", "write one `let` a name");
            self.declare_refused(pat);
            return;
        };
        let is_workgroup = local
            .attrs
            .iter()
            .any(|attr| attr.path().is_ident("workgroup"));
        for attr in &local.attrs {
            if !attr.path().is_ident("workgroup")
                && !level::is_level(attr)
                && !attr.path().is_ident("doc")
            {
                self.sink.error_help(
                    attr,
                    "this attribute means nothing on a `let`",
                    "`#[workgroup]` makes workgroup memory",
                );
            }
        }
        if is_workgroup {
            self.workgroup(local, &ident.ident, annotated);
            return;
        }
        let ty = annotated.map_or(Type::Unknown, |ty| self.ty(ty));
        let init = match &local.init {
            Some(init) => {
                if let Some((_, diverge)) = &init.diverge {
                    self.sink.error_help(
                        diverge,
                        "`let .. else` cannot be used in a kernel",
                        "write an `if`",
                    );
                }
                Some(self.expr(&init.expr))
            }
            None => None,
        };
        // What has been reported is not reported again where it is used.
        let ty = match &init {
            Some(init) if init.ty == Type::Error && ty == Type::Unknown => Type::Error,
            _ => ty,
        };
        let last = local.semi_token.spans[0];
        let span = if local.attrs.is_empty() {
            self.sink.spans.between(local.let_token.span, last)
        } else {
            self.sink.span(local)
        };
        let mutable = ident.mutability.is_some() || init.is_none();
        let local = self.declare(&ident.ident, ty, mutable);
        out.stmts.push(Stmt::Let { local, init, span });
    }

    /// Declares what a refused pattern binds, so that its uses are not reported too.
    pub fn declare_refused(&mut self, pat: &syn::Pat) {
        struct Names(Vec<syn::Ident>);

        impl syn::visit::Visit<'_> for Names {
            fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
                self.0.push(pat.ident.clone());
            }
        }

        let mut names = Names(Vec::new());
        syn::visit::Visit::visit_pat(&mut names, pat);
        for name in names.0 {
            self.declare(&name, Type::Error, true);
        }
    }

    fn workgroup(&mut self, local: &syn::Local, name: &syn::Ident, ty: Option<&syn::Type>) {
        if !self.in_kernel {
            self.sink.error_help(
                local,
                "workgroup memory is declared in the kernel",
                "declare it there, and pass it as `&mut [T]`",
            );
            self.declare(name, Type::Error, true);
            return;
        }
        if let Some(init) = &local.init {
            self.sink.error_help(
                &init.expr,
                "workgroup memory begins as zeros and takes no value",
                "remove the value",
            );
        }
        let Some(ty) = ty else {
            self.sink.error_help(
                name,
                "workgroup memory needs its type",
                format!("write `#[workgroup] let {name}: [f32; 256];`"),
            );
            self.declare(name, Type::Error, true);
            return;
        };
        if self.scopes.len() != 3 {
            self.sink.error_help(
                local,
                "workgroup memory belongs to the whole kernel",
                "declare it at the top of the body",
            );
        }
        let (parsed, len) = self.workgroup_type(ty);
        let in_memory = matches!(
            parsed,
            Type::Scalar(_)
                | Type::Vector(..)
                | Type::Array(..)
                | Type::Struct(..)
                | Type::Atomic(_)
        );
        if !in_memory && parsed != Type::Error {
            let help = "write a scalar, a vector, a struct, or an array of them";
            self.sink
                .error_help(ty, "workgroup memory holds values", help);
        }
        let span = self.sink.span(local);
        let index = self.workgroup.len();
        self.workgroup.push(WorkgroupVar {
            name: paths::name(name),
            ty: if in_memory { parsed } else { Type::Error },
            len,
            span,
        });
        self.bind(paths::name(name), Name::Workgroup(index));
    }

    fn statement(&mut self, expr: &syn::Expr, out: &mut Block) {
        match expr {
            syn::Expr::Assign(assign) => {
                let span = self.sink.span_of(expr);
                if let syn::Expr::Infer(_) = &*assign.left {
                    let value = self.expr(&assign.right);
                    out.stmts.push(Stmt::Expr(value));
                    return;
                }
                let place = self.expr(&assign.left);
                let value = self.expr(&assign.right);
                out.stmts.push(Stmt::Assign {
                    place,
                    op: None,
                    value,
                    span,
                });
            }
            syn::Expr::Binary(binary) if compound(&binary.op).is_some() => {
                let span = self.sink.span_of(expr);
                let place = self.expr(&binary.left);
                let value = self.expr(&binary.right);
                out.stmts.push(Stmt::Assign {
                    place,
                    op: compound(&binary.op),
                    value,
                    span,
                });
            }
            syn::Expr::ForLoop(for_loop) => self.for_loop(for_loop, out),
            syn::Expr::While(while_loop) => {
                self.scopes.push(Vec::new());
                let message = "`while let` cannot be used in a kernel";
                let condition = self.condition(&while_loop.cond, message);
                self.enter(while_loop.label.as_ref());
                let mut body = self.block(&while_loop.body);
                let after = self.leave(&mut body);
                self.scopes.pop();
                out.stmts.push(Stmt::While { condition, body });
                out.stmts.extend(after);
            }
            syn::Expr::Loop(forever) => {
                let span = self.sink.span(&forever.loop_token);
                self.enter(forever.label.as_ref());
                let mut body = self.block(&forever.body);
                let after = self.leave(&mut body);
                out.stmts.push(Stmt::Loop { body, span });
                out.stmts.extend(after);
            }
            syn::Expr::Break(leave) => {
                if let Some(value) = &leave.expr {
                    self.sink.error_help(
                        value,
                        "a loop gives no value on a GPU",
                        "assign it to a variable before `break`",
                    );
                }
                let span = self.sink.span(leave);
                self.jump(leave.label.as_ref(), Stmt::Break(span), out);
            }
            syn::Expr::Continue(next) => {
                let span = self.sink.span(next);
                self.jump(next.label.as_ref(), Stmt::Continue(span), out);
            }
            syn::Expr::Return(leave) => {
                let span = self.sink.span(leave);
                let value = leave.expr.as_ref().map(|value| self.expr(value));
                out.stmts.push(Stmt::Return(value, span));
            }
            _ => {
                let value = self.expr(expr);
                out.stmts.push(Stmt::Expr(value));
            }
        }
    }

    fn for_loop(&mut self, for_loop: &syn::ExprForLoop, out: &mut Block) {
        let mut unroll = false;
        for attr in &for_loop.attrs {
            if attr.path().is_ident("unroll") {
                unroll = true;
            } else if !level::is_level(attr) {
                self.sink.error_help(
                    attr,
                    "this attribute means nothing on a loop",
                    "`#[unroll]` writes the loop out",
                );
            }
        }
        let (range, step) = match strip(&for_loop.expr) {
            syn::Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                (strip(&call.receiver), call.args.first())
            }
            other => (other, None),
        };
        let syn::Expr::Range(range) = range else {
            self.sink.error_help(
                &for_loop.expr,
                "a kernel loops over ranges",
                "write `for i in 0..n`, with `.step_by(s)` if need be, and index",
            );
            self.refused_loop(for_loop, out);
            return;
        };
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.sink
                .error_help(range, "this range has no end", "write `a..b`");
            self.refused_loop(for_loop, out);
            return;
        };
        let (first, last) = (for_loop.for_token.span, ends::last(&for_loop.expr));
        let span = self.sink.spans.between(first, last);
        let (start, end) = (self.expr(start), self.expr(end));
        let step = step.map(|step| self.expr(step));
        self.scopes.push(Vec::new());
        let local = match &*for_loop.pat {
            syn::Pat::Ident(ident) => self.declare(&ident.ident, Type::Unknown, false),
            syn::Pat::Wild(wild) => {
                let name = syn::Ident::new("i", wild.underscore_token.span);
                let local = self.declare(&name, Type::Unknown, false);
                if let Some(local) = self.locals.get(local.0) {
                    self.sink.levels.nameless(local.span);
                }
                local
            }
            other => {
                self.sink.error_help(
                    other,
                    "a loop variable is a name",
                    "write `for i in 0..n`, and compute the rest in the body",
                );
                self.scopes.pop();
                self.refused_loop(for_loop, out);
                return;
            }
        };
        self.enter(for_loop.label.as_ref());
        let mut body = self.block(&for_loop.body);
        let after = self.leave(&mut body);
        self.scopes.pop();
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        out.stmts.push(Stmt::For {
            local,
            start,
            end,
            inclusive,
            step,
            body,
            unroll,
            span,
        });
        out.stmts.extend(after);
    }

    /// A loop whose head has been reported: its body is looked at all the same.
    fn refused_loop(&mut self, for_loop: &syn::ExprForLoop, out: &mut Block) {
        let span = self.sink.span(&for_loop.expr);
        self.scopes.push(Vec::new());
        self.declare_refused(&for_loop.pat);
        self.enter(for_loop.label.as_ref());
        let mut body = self.block(&for_loop.body);
        let after = self.leave(&mut body);
        self.scopes.pop();
        out.stmts.push(Stmt::While {
            condition: error(span),
            body,
        });
        out.stmts.extend(after);
    }

    /// An expression that holds statements, such as a `return` in a `match` arm.
    pub fn statement_value(&mut self, expr: &syn::Expr) -> Expr {
        let span = self.sink.span_of(expr);
        let mut block = Block::default();
        self.statement(expr, &mut block);
        Expr::new(ExprKind::Block(block), span)
    }
}

/// An expression without parentheses and invisible groups.
pub fn strip(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Paren(paren) => strip(&paren.expr),
        syn::Expr::Group(group) => strip(&group.expr),
        other => other,
    }
}

/// Whether an expression is a statement by nature: it has no value in the language.
pub fn is_statement(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Binary(binary) => compound(&binary.op).is_some(),
        syn::Expr::Assign(_)
        | syn::Expr::ForLoop(_)
        | syn::Expr::While(_)
        | syn::Expr::Loop(_)
        | syn::Expr::Break(_)
        | syn::Expr::Continue(_)
        | syn::Expr::Return(_) => true,
        _ => false,
    }
}

fn compound(op: &syn::BinOp) -> Option<BinaryOp> {
    Some(match op {
        syn::BinOp::AddAssign(_) => BinaryOp::Add,
        syn::BinOp::SubAssign(_) => BinaryOp::Sub,
        syn::BinOp::MulAssign(_) => BinaryOp::Mul,
        syn::BinOp::DivAssign(_) => BinaryOp::Div,
        syn::BinOp::RemAssign(_) => BinaryOp::Rem,
        syn::BinOp::BitXorAssign(_) => BinaryOp::BitXor,
        syn::BinOp::BitAndAssign(_) => BinaryOp::BitAnd,
        syn::BinOp::BitOrAssign(_) => BinaryOp::BitOr,
        syn::BinOp::ShlAssign(_) => BinaryOp::Shl,
        syn::BinOp::ShrAssign(_) => BinaryOp::Shr,
        _ => return None,
    })
}
