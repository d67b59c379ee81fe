//! Paths and calls of them.

use rlx_kernel_ir::{Bound, Builtin, Expr, ExprKind, Scalar, Span, Type};

use super::error;
use super::literal::{number, scalar_const};
use crate::parse::body::{BodyParser, Name};
use crate::parse::{FormatTarget, Target};
use crate::paths;
use crate::spans::ends;

impl BodyParser<'_> {
    pub(super) fn path(&mut self, path: &syn::ExprPath, span: Span) -> Expr {
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
            return match format.consts.value(&member) {
                Some(ExprKind::Int(number)) => Expr::u32(number, span),
                Some(kind) => Expr::new(kind, span),
                None => self.refused(
                    path,
                    span,
                    &format!("a format has no const `{member}`"),
                    Some(
                        "it has `ELEMS` and `BYTES`; one of integers also `RUN` and `HAS_MINIMUM`",
                    ),
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
    pub(super) fn associated(&self, name: &str) -> Option<(FormatTarget, String)> {
        let (owner, member) = name.rsplit_once("::")?;
        match self.resolver.targets.get(owner)? {
            Target::Format(format) => Some((format.clone(), member.to_string())),
            _ => None,
        }
    }

    /// `T::from_f32(x)` of a type parameter that stands for a scalar type.
    pub(super) fn converted(&self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
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
    pub(super) fn members_of_struct(&self, name: &str) -> Option<String> {
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

    pub(super) fn call(&mut self, call: &syn::ExprCall, span: Span) -> Expr {
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
}
