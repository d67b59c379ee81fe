//! Expressions.

use quote::ToTokens;
use rlx_kernel_ir::generic::open_length;
use rlx_kernel_ir::{BinaryOp, Block, Bound, Builtin, Expr, ExprKind, Scalar, Span, Type, UnaryOp};

use super::body::{BodyParser, Name};
use super::stmt::{is_statement, strip};
use super::{FormatTarget, Target, ty};
use crate::paths;
use crate::spans::ends;

/// Elements of an array at the most: WGSL asks no more of a device.
const MAX_LENGTH: u64 = 65_535;

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

    fn literal(&mut self, lit: &syn::ExprLit, span: Span) -> Expr {
        match &lit.lit {
            syn::Lit::Bool(value) => Expr::new(ExprKind::Bool(value.value), span),
            syn::Lit::Int(value) => {
                let suffix = value.suffix();
                if suffix == "f32" {
                    return Expr::typed(
                        ExprKind::Float(value.base10_digits().into()),
                        span,
                        Type::F32,
                    );
                }
                let ty = self.suffix(lit, suffix);
                match value.base10_parse::<u64>() {
                    Ok(number) if value.token().to_string().starts_with("0x") => {
                        Expr::typed(ExprKind::Hex(number), span, ty)
                    }
                    Ok(number) => Expr::typed(ExprKind::Int(number), span, ty),
                    Err(_) => self.refused(
                        lit,
                        span,
                        "this number is too large",
                        Some("the largest integers have 64 bits"),
                    ),
                }
            }
            syn::Lit::Float(value) => {
                let ty = self.suffix(lit, value.suffix());
                Expr::typed(ExprKind::Float(value.base10_digits().into()), span, ty)
            }
            syn::Lit::Str(_) | syn::Lit::ByteStr(_) | syn::Lit::Char(_) => {
                self.refused(lit, span, "there is no text on a GPU", Some("use a number"))
            }
            _ => self.refused(
                lit,
                span,
                "this literal is not in the kernel language",
                Some("use `u32`, `i32` or `f32`"),
            ),
        }
    }

    fn suffix(&mut self, lit: &syn::ExprLit, suffix: &str) -> Type {
        if suffix.is_empty() {
            return Type::Unknown;
        }
        if let Some(scalar) = ty::scalar(suffix).filter(|scalar| *scalar != Scalar::F16) {
            return Type::Scalar(scalar);
        }
        let help = if suffix == "f16" {
            "write `f16::from_f32(1.0)`, with the number"
        } else if suffix.starts_with('f') {
            "write `f32`"
        } else {
            "write `u32`, `i32`, `u64` or `i64`"
        };
        let message = if suffix == "f16" {
            "`f16` has no literals".into()
        } else {
            format!("`{suffix}` is not a type of the kernel language")
        };
        self.sink.error_help(lit, message, help);
        Type::Error
    }

    fn path(&mut self, path: &syn::ExprPath, span: Span) -> Expr {
        let name = paths::text(&path.path);
        if path.path.segments.len() == 1
            && let Some(meaning) = self.lookup(&name)
        {
            let kind = match meaning {
                Name::Local(local) => ExprKind::Local(local),
                Name::Binding(index) => ExprKind::Binding(index),
                Name::Param(index) => ExprKind::Param(index),
                Name::Workgroup(index) => ExprKind::Workgroup(index),
            };
            return Expr::new(kind, span);
        }
        if let Some((owner, _)) = name.rsplit_once("::")
            && let Some(Target::Generic(_, Bound::Format | Bound::Trait(_))) =
                self.resolver.targets.get(owner)
        {
            return Expr::new(ExprKind::Named(name, span, Vec::new()), span);
        }
        match self.resolver.targets.get(&name) {
            Some(Target::Item(item)) => return Expr::new(ExprKind::Const(*item), span),
            Some(Target::Number(value, scalar)) => return number(*value, *scalar, span),
            Some(Target::Generic(_, Bound::Const)) => {
                return Expr::new(ExprKind::Named(name, span, Vec::new()), span);
            }
            Some(
                Target::Struct(..)
                | Target::Format(_)
                | Target::Scalar(_)
                | Target::Generic(..)
                | Target::Trait(_),
            ) => {
                return self.refused(path, span, "this is a type, not a value", None);
            }
            None => {}
        }
        if let Some((format, member)) = self.associated(&name) {
            return match member.as_str() {
                "ELEMS" => Expr::u32(u64::from(format.elems), span),
                "BYTES" => Expr::u32(u64::from(format.bytes), span),
                _ => self.refused(
                    path,
                    span,
                    &format!("a format has no const `{member}`"),
                    Some("it has `ELEMS` and `BYTES`"),
                ),
            };
        }
        if let Some(help) = self.members_of_struct(&name) {
            let member = name.rsplit("::").next().unwrap_or_default();
            let message = format!("this struct has no const `{member}`");
            return self.refused(path, span, &message, Some(&help));
        }
        if let Some((text, ty)) = scalar_const(&name) {
            return Expr::typed(ExprKind::Literal(text), span, ty);
        }
        if name.starts_with("f16::") && !Builtin::is_function(&name) {
            let message = format!("`{name}` is not in the kernel language");
            let help = "`f16::MAX`, `MIN`, `EPSILON`, `MIN_POSITIVE`, `ZERO` and `ONE` are there";
            return self.refused(path, span, &message, Some(help));
        }
        if name.starts_with("f32::") {
            let help = match name.as_str() {
                "f32::INFINITY" | "f32::NEG_INFINITY" => {
                    "WGSL has no infinity; write a number beyond what your data hold, such as `-1e30`: `f32::MIN` minus anything overflows"
                }
                "f32::NAN" => {
                    "WGSL has no NaN literal; write `f32::from_bits(bits)` of bits that are not a constant"
                }
                _ => "`f32::MAX`, `f32::MIN`, `f32::EPSILON` and `f32::MIN_POSITIVE` are there",
            };
            return self.refused(
                path,
                span,
                &format!("`{name}` is not in the kernel language"),
                Some(help),
            );
        }
        if Builtin::is_function(&name) {
            return self.refused(
                path,
                span,
                &format!("`{name}` is a function; it must be called"),
                Some("write it with parentheses"),
            );
        }
        self.refused(
            path,
            span,
            &format!("nothing is named `{name}` here"),
            Some(
                "a kernel sees its parameters, its variables, and `#[device]` consts in upper case",
            ),
        )
    }

    /// The format and member of a path such as `F::decode`.
    fn associated(&self, name: &str) -> Option<(FormatTarget, String)> {
        let (owner, member) = name.rsplit_once("::")?;
        match self.resolver.targets.get(owner)? {
            Target::Format(format) => Some((format.clone(), member.to_string())),
            _ => None,
        }
    }

    /// `T::from_f32(x)` of a type parameter that stands for a scalar type.
    fn converted(&self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let (owner, "from_f32") = name.rsplit_once("::")? else {
            return None;
        };
        match (self.resolver.targets.get(owner)?, args) {
            (Target::Scalar(Type::Scalar(Scalar::F16)), _) => {
                let name = "f16::from_f32".to_string();
                Some(Expr::new(ExprKind::Named(name, span, args.to_vec()), span))
            }
            (Target::Scalar(ty), [value]) => {
                let cast = ExprKind::Cast(Box::new(value.clone()));
                Some(Expr::typed(cast, span, ty.clone()))
            }
            _ => None,
        }
    }

    /// What the struct in a path such as `Type::name` has, in words; none where there is no struct.
    fn members_of_struct(&self, name: &str) -> Option<String> {
        let (owner, _) = name.rsplit_once("::")?;
        let targets = &self.resolver.targets;
        if !matches!(targets.get(owner)?, Target::Struct(..)) {
            return None;
        }
        let of = |path: &String| {
            let (of, member) = path.rsplit_once("::")?;
            (of == owner).then(|| format!("`{member}`"))
        };
        let mut members: Vec<_> = targets.keys().filter_map(of).collect();
        members.sort();
        Some(match members.as_slice() {
            [] => "give the struct one: `#[device(impl)] struct`, and `#[device] impl` beside it"
                .to_string(),
            members => format!("it has {}", members.join(", ")),
        })
    }

    fn call(&mut self, call: &syn::ExprCall, span: Span) -> Expr {
        let args: Vec<Expr> = call.args.iter().map(|arg| self.expr(arg)).collect();
        let syn::Expr::Path(path) = &*call.func else {
            return self.refused(
                &call.func,
                span,
                "only functions can be called",
                Some("write a `#[device]` function"),
            );
        };
        let name = paths::text(&path.path);
        if path.path.segments.len() == 1
            && let Some(meaning) = self.lookup(&name)
        {
            if let Name::Local(local) = meaning
                && self.locals[local.0].ty == Type::Error
            {
                return error(span);
            }
            return self.refused(
                &path.path,
                span,
                &format!("`{name}` is a variable, not a function"),
                Some("write a `#[device]` function and call it"),
            );
        }
        match self.resolver.targets.get(&name) {
            Some(Target::Item(item)) => {
                let item = *item;
                let kind = match self.arguments(&path.path) {
                    Some(given) => ExprKind::CallOf(item, given, args),
                    None => ExprKind::Call(item, args),
                };
                return Expr::new(kind, span);
            }
            Some(Target::Struct(..)) => {
                let help = "write `Name { field: value }`";
                return self.refused(path, span, "a struct is not a function", Some(help));
            }
            Some(Target::Format(_)) => {
                return self.refused(path, span, "a format is not a function", None);
            }
            Some(Target::Trait(_)) => {
                return self.refused(path, span, "a trait is not a function", None);
            }
            Some(Target::Generic(..) | Target::Scalar(_) | Target::Number(..)) => {
                let message = format!("`{name}` is a parameter, not a function");
                return self.refused(path, span, &message, None);
            }
            None => {}
        }
        if let Some(converted) = self.converted(&name, &args, span) {
            return converted;
        }
        if let Some((format, member)) = self.associated(&name) {
            if let Some(table) = format.tables.get(&member) {
                let Ok([index]) = <[Expr; 1]>::try_from(args) else {
                    let message = format!("`{member}` is a table: it takes one index");
                    return self.refused(call, span, &message, None);
                };
                let table = Expr::new(ExprKind::Table(*table), span);
                return Expr::new(ExprKind::Index(Box::new(table), Box::new(index)), span);
            }
            return if let Some(item) = format.functions.get(&member) {
                Expr::new(ExprKind::Call(*item, args), span)
            } else {
                let mut has: Vec<_> = format
                    .functions
                    .keys()
                    .chain(format.tables.keys())
                    .map(|name| format!("`{name}`"))
                    .collect();
                has.sort();
                let help = format!("it has {}", has.join(", "));
                self.refused(
                    path,
                    span,
                    &format!("this format has no function `{member}`"),
                    Some(&help),
                )
            };
        }
        if let Some(help) = self.members_of_struct(&name) {
            let member = name.rsplit("::").next().unwrap_or_default();
            let message = format!("this struct has no function `{member}`");
            return self.refused(path, span, &message, Some(&help));
        }
        if let Some(ty) = self.matrix_owner(&path.path) {
            let at = self.sink.span(&path.path);
            return Expr::typed(ExprKind::Named(name, at, args), span, ty);
        }
        // `Vec4::<f32>::splat` and `Vec4::splat` are one.
        let (first, last) = (
            ends::first_of_path(&path.path),
            ends::last_of_path(&path.path),
        );
        let span_of_name = self.sink.spans.between(first, last);
        Expr::new(ExprKind::Named(name, span_of_name, args), span)
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

    fn length_value(&self, expr: &syn::Expr) -> Option<u64> {
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
                match member.as_str() {
                    "ELEMS" => Some(u64::from(format.elems)),
                    "BYTES" => Some(u64::from(format.bytes)),
                    _ => None,
                }
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

/// A number of a type.
fn number(value: i64, scalar: Scalar, span: Span) -> Expr {
    let ty = Type::Scalar(scalar);
    if scalar == Scalar::Bool {
        return Expr::typed(ExprKind::Bool(value != 0), span, ty);
    }
    let size = Expr::typed(ExprKind::Int(value.unsigned_abs()), span, ty.clone());
    if value < 0 {
        return Expr::typed(ExprKind::Unary(UnaryOp::Neg, Box::new(size)), span, ty);
    }
    size
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

/// Associated consts of scalar types.
fn scalar_const(name: &str) -> Option<(&'static str, Type)> {
    Some(match name {
        "u32::MAX" => ("4294967295u", Type::U32),
        "u32::MIN" => ("0u", Type::U32),
        "i32::MAX" => ("2147483647i", Type::I32),
        "i32::MIN" => ("i32(-2147483648)", Type::I32),
        "u64::MAX" => ("18446744073709551615lu", Type::U64),
        "u64::MIN" => ("0lu", Type::U64),
        "i64::MAX" => ("9223372036854775807li", Type::I64),
        "i64::MIN" => ("(-9223372036854775807li - 1li)", Type::I64),
        "f16::MAX" => ("65504.0h", Type::F16),
        "f16::MIN" => ("-65504.0h", Type::F16),
        "f16::EPSILON" => ("0.0009765625h", Type::F16),
        "f16::MIN_POSITIVE" => ("0.00006103515625h", Type::F16),
        "f16::ZERO" => ("0.0h", Type::F16),
        "f16::ONE" => ("1.0h", Type::F16),
        "f32::MAX" => ("0x1.fffffep+127f", Type::F32),
        "f32::MIN" => ("-0x1.fffffep+127f", Type::F32),
        "f32::EPSILON" => ("0x1p-23f", Type::F32),
        "f32::MIN_POSITIVE" => ("0x1p-126f", Type::F32),
        _ => return None,
    })
}
