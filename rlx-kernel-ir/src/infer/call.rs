//! Calls: builtins by their table, helpers by specialisation.

use super::Infer;
use super::unify::Kind;
use crate::builtin::{Arg, Builtin, Domain, Form, Of, REFUSED_METHODS, Ret};
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::generic::{Arguments, substituted};
use crate::item::{Function, Item, ItemId};
use crate::span::Span;
use crate::types::{Scalar, Source, Type};

impl Infer<'_> {
    /// A call of something known by its name alone.
    pub(super) fn named(
        &mut self,
        (name, at): (&str, Span),
        args: &mut Vec<Expr>,
        span: Span,
    ) -> (ExprKind, Type) {
        for arg in args.iter_mut() {
            self.expr(arg);
        }
        if let Some(builtin) = Builtin::find(name, Form::Function) {
            self.builtin(builtin, std::mem::take(args), span)
        } else if let Some(diagnostic) = self.not_in_trait(name, at) {
            (ExprKind::Int(0), self.error(diagnostic))
        } else {
            let message = format!("there is no function `{name}` in the kernel language");
            let mut diagnostic = Diagnostic::new(at, message);
            let method = name.rsplit("::").next().unwrap_or(name);
            if Builtin::find(method, Form::Method).is_some() {
                diagnostic =
                    diagnostic.help(format!("`{method}` is a method: write `x.{method}(..)`"));
            }
            (ExprKind::Int(0), self.error(diagnostic))
        }
    }

    /// `receiver.name(args)`
    pub(super) fn method(
        &mut self,
        receiver: &mut Expr,
        (name, at): (&str, Span),
        args: &mut [Expr],
        span: Span,
    ) -> (ExprKind, Type) {
        let ty = self.expr(receiver);
        if let Some(found) = self.slice_method(receiver, name, args, at) {
            return found;
        }
        if let Some(found) = self.block_field(receiver, name, args, at) {
            return found;
        }
        if let Some(found) = self.method_of_struct(receiver, (name, at), args, span) {
            return found;
        }
        for arg in args.iter_mut() {
            self.expr(arg);
        }
        if self.table.shallow(&ty) == Type::Error {
            return (ExprKind::Int(0), Type::Error);
        }
        // A generic function's own way to write `x.to_f32()` of what is one already.
        if self.table.deep(&ty) == Type::F32 && name == "to_f32" && args.is_empty() {
            return (ExprKind::Cast(Box::new(receiver.clone())), Type::F32);
        }
        if let Type::Vector(elem, len) = self.table.shallow(&ty)
            && args.is_empty()
            && let Some(count) = swizzle(name, len)
        {
            return (
                ExprKind::Field(Box::new(receiver.clone()), name.into()),
                Type::Vector(elem, count),
            );
        }
        let is_atomic = matches!(self.table.shallow(&ty), Type::Atomic(_));
        if name == "swap" && !is_atomic {
            let found = self.describe(&ty);
            let message =
                format!("{found} has no method `swap` in the kernel language: it is an atomic's");
            let help =
                "exchange two places by a variable: `let kept = y[a]; y[a] = y[b]; y[b] = kept;`";
            return (
                ExprKind::Int(0),
                self.error(Diagnostic::new(at, message).help(help)),
            );
        }
        if let Some(builtin) = Builtin::find(name, Form::Method) {
            if let Some(error) = self.refused_for(builtin, &ty, at) {
                return (ExprKind::Int(0), error);
            }
            let mut all = vec![receiver.clone()];
            all.extend(args.iter().cloned());
            return self.builtin(builtin, all, span);
        }
        let found = self.describe(&ty);
        let mut diagnostic = Diagnostic::new(
            at,
            format!("{found} has no method `{name}` in the kernel language"),
        );
        let scalar = self.table.deep(&ty).scalar();
        let refused = |row: &&(&str, Of, &str)| row.0 == name && row.1.holds(scalar, false);
        if let Some((_, _, help)) = REFUSED_METHODS.iter().find(refused) {
            diagnostic = diagnostic.help(*help);
        } else if let Type::Matrix(..) = self.table.shallow(&ty) {
            diagnostic = diagnostic.help("it has `store_rows` and `store_columns`");
        } else if let Some(builtin) = Builtin::find(name, Form::Function) {
            diagnostic = diagnostic.help(format!(
                "`{name}` is a function: write `{name}(x{})`",
                if builtin.args.len() > 1 { ", .." } else { "" }
            ));
        } else {
            diagnostic = diagnostic.help("write a `#[device]` function and call it");
        }
        (ExprKind::Int(0), self.error(diagnostic))
    }

    /// Reports a method that is there for other types alone.
    fn refused_for(&mut self, builtin: &Builtin, ty: &Type, at: Span) -> Option<Type> {
        if !matches!(builtin.args.first(), Some(Arg::Is(_))) {
            return None;
        }
        let ty = self.table.deep(ty);
        let is_float = self.table.kind(&ty) == Some(Kind::Float);
        let scalar = if is_float {
            Some(Scalar::F32)
        } else {
            ty.scalar()
        };
        let (_, _, help) = REFUSED_METHODS.iter().find(|(refused, of, _)| {
            *refused == builtin.name && of.holds(scalar, matches!(ty, Type::Vector(..)))
        })?;
        let message = format!(
            "{} has no method `{}` in the kernel language",
            self.describe(&ty),
            builtin.name
        );
        Some(self.error(Diagnostic::new(at, message).help(*help)))
    }

    /// Reports a call with too many arguments or too few.
    pub(super) fn arity(
        &mut self,
        builtin: &Builtin,
        args: &[Expr],
        span: Span,
    ) -> Result<(), Type> {
        let name = builtin.name;
        if args.len() == builtin.args.len() {
            return Ok(());
        }
        let implied = usize::from(builtin.form == Form::Method);
        let (wanted, found) = (
            builtin.args.len() - implied,
            args.len().saturating_sub(implied),
        );
        let plural = if wanted == 1 { "" } else { "s" };
        let message = format!("`{name}` takes {wanted} argument{plural}, found {found}");
        let places = ["a", "b", "c", "d"];
        let (receiver, names) = match (builtin.form, builtin.args.len()) {
            (Form::Method, count) => ("x.", &places[..(count - 1).min(4)]),
            (Form::Function, count) => ("", &places[..count.min(4)]),
        };
        let names = if builtin.args.contains(&Arg::Slice) {
            &["x", "at", "stride"]
        } else {
            names
        };
        let help = format!("write `{receiver}{name}({})`", names.join(", "));
        Err(self.error(Diagnostic::new(span, message).help(help)))
    }

    fn builtin(
        &mut self,
        builtin: &'static Builtin,
        mut args: Vec<Expr>,
        span: Span,
    ) -> (ExprKind, Type) {
        let name = builtin.name;
        if let Err(error) = self.arity(builtin, &args, span) {
            return (ExprKind::Int(0), error);
        }
        if builtin.is_of_matrices() {
            return self.matrix(builtin, &args, span);
        }
        let mut generic: Option<Type> = None;
        for (arg, want) in args.iter_mut().zip(builtin.args) {
            let found = arg.ty.clone();
            match want {
                Arg::Is(scalar) => {
                    self.expect(arg, &Type::Scalar(*scalar), &found);
                }
                Arg::Vector(scalar, len) => {
                    self.expect(arg, &Type::vector(*scalar, *len), &found);
                }
                Arg::Mask => {
                    let ty = generic
                        .as_ref()
                        .map_or(Type::Error, |ty| self.table.deep(ty));
                    let mask = match (ty, self.table.shallow(&found)) {
                        (Type::Vector(_, len), Type::Vector(..)) => Type::vector(Scalar::Bool, len),
                        _ => Type::BOOL,
                    };
                    self.expect(arg, &mask, &found);
                }
                Arg::Either if !matches!(self.table.shallow(&found), Type::Vector(..)) => {
                    let ty = generic
                        .as_ref()
                        .map_or(Type::Error, |ty| self.table.deep(ty));
                    self.expect(arg, &elem_of(&ty), &found);
                }
                Arg::Elem => {
                    let ty = generic
                        .as_ref()
                        .map_or(Type::Error, |ty| self.table.deep(ty));
                    self.expect(arg, &elem_of(&ty), &found);
                }
                // Of the builtins of matrices alone.
                Arg::Matrix(_) | Arg::Slice => {}
                Arg::T | Arg::Either => {
                    if let Some(ty) = &generic {
                        let ty = ty.clone();
                        self.expect(arg, &ty, &found);
                    } else {
                        if !self.in_domain(&found, builtin) {
                            let got_type = self.table.deep(&found);
                            let (wanted, got) = (builtin.domain.describe(), self.describe(&found));
                            let message = format!("`{name}` takes {wanted}, found {got}");
                            let mut diagnostic = Diagnostic::new(arg.span, message);
                            if builtin.domain == Domain::Float
                                && matches!(got_type, Type::Scalar(scalar) if scalar.is_int())
                            {
                                diagnostic = diagnostic.help("convert it with `as f32`");
                            }
                            self.error(diagnostic);
                            return (ExprKind::Int(0), Type::Error);
                        }
                        generic = Some(found);
                    }
                }
            }
        }
        let generic = generic.map_or(Type::Error, |ty| self.table.deep(&ty));
        self.place_of(builtin, &args);
        let ty = match builtin.ret {
            Ret::Unit => Type::Unit,
            Ret::Is(scalar) => Type::Scalar(scalar),
            Ret::Vector(scalar, len) => Type::vector(scalar, len),
            Ret::T => generic,
            Ret::Elem => elem_of(&generic),
            Ret::Matrix(_) => Type::Error,
            Ret::VectorOfT(len) => Type::Vector(Box::new(generic), len),
            Ret::As(scalar) => match generic {
                Type::Vector(_, len) => Type::vector(scalar, len),
                _ => Type::Scalar(scalar),
            },
        };
        (ExprKind::Builtin(builtin, args), ty)
    }

    /// Checks that what works on a place is given one that it may work on.
    fn place_of(&mut self, builtin: &Builtin, args: &[Expr]) {
        let Some(place) = args.first() else { return };
        match builtin.domain {
            Domain::Atomic => self.writable(place),
            Domain::Workgroup if !in_workgroup(place) => {
                let message = format!("`{}` reads a place in workgroup memory", builtin.name);
                let help = "give it an element of `#[workgroup]` memory, such as `total[0]`";
                self.error(Diagnostic::new(place.span, message).help(help));
            }
            _ => {}
        }
    }

    fn in_domain(&mut self, ty: &Type, builtin: &Builtin) -> bool {
        let ty = self.table.deep(ty);
        let is_vector = matches!(ty, Type::Vector(..));
        let elem = match &ty {
            Type::Error => return true,
            Type::Vector(elem, _) => (**elem).clone(),
            other => other.clone(),
        };
        if matches!(builtin.ret, Ret::VectorOfT(_)) && is_vector {
            return false;
        }
        let kind = self.table.kind(&elem);
        let float = kind == Some(Kind::Float) || elem == Type::F32 || elem == Type::F16;
        let int = kind == Some(Kind::Int)
            || elem.scalar().is_some_and(Scalar::is_int) && matches!(elem, Type::Scalar(_));
        let narrow = elem.scalar().is_none_or(|scalar| scalar.size() <= 4);
        match builtin.domain {
            Domain::None => true,
            Domain::Any => float || int || elem == Type::BOOL || kind.is_some(),
            Domain::Float => float,
            Domain::F32 => float && elem != Type::F16,
            Domain::F16 => elem == Type::F16,
            Domain::Int32 => int && narrow,
            Domain::Narrow => (float || int) && narrow,
            Domain::Bool => elem == Type::BOOL && !is_vector,
            Domain::Atomic => matches!(ty, Type::Atomic(_)),
            Domain::Workgroup => !matches!(ty, Type::Atomic(_)),
            Domain::Matrix => matches!(ty, Type::Matrix(..)),
            Domain::Int => int,
            Domain::Number => float || int,
            Domain::NumberVector => is_vector && (float || int),
            Domain::FloatVector => is_vector && float,
            Domain::BoolVector => is_vector && elem == Type::BOOL,
        }
    }

    /// A call of helper `id`.
    pub(super) fn call(
        &mut self,
        id: ItemId,
        args: &mut Vec<Expr>,
        span: Span,
    ) -> (ExprKind, Type) {
        for arg in args.iter_mut() {
            self.expr(arg);
        }
        self.called(id, args, span)
    }

    /// A call of helper `id` with arguments that have their types.
    pub(super) fn called(
        &mut self,
        id: ItemId,
        args: &mut Vec<Expr>,
        span: Span,
    ) -> (ExprKind, Type) {
        self.applied(id, Arguments::new(), args, span)
    }

    /// The same, where some generic arguments are given.
    pub(super) fn applied(
        &mut self,
        id: ItemId,
        mut arguments: Arguments,
        args: &mut Vec<Expr>,
        span: Span,
    ) -> (ExprKind, Type) {
        let module = self.module;
        if let Some(Item::Printed(printed)) = module.items.get(id.0) {
            for (arg, ty) in args.iter().zip(&printed.params) {
                self.expect(arg, ty, &arg.ty);
            }
            if args.len() != printed.params.len() {
                let (wanted, found) = (printed.params.len(), args.len());
                let message = format!("`{}` takes {wanted} arguments, found {found}", printed.name);
                return (ExprKind::Int(0), self.error(Diagnostic::new(span, message)));
            }
            return (
                ExprKind::Printed(id, std::mem::take(args)),
                printed.ret.clone(),
            );
        }
        let Some(Item::Function(function)) = module.items.get(id.0) else {
            let diagnostic = Diagnostic::new(span, "this is a value, not a function");
            return (ExprKind::Int(0), self.error(diagnostic));
        };
        if args.len() != function.params.len() {
            let (name, wanted, found) = (&function.name, function.params.len(), args.len());
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {wanted} argument{plural}, found {found}");
            let params = function.params.iter().map(|param| {
                let name = function
                    .locals
                    .get(param.local.0)
                    .map_or("_", |local| &local.name);
                format!("{name}: {}", self.spell(&param.ty))
            });
            let help = format!(
                "it is `fn {name}({})`",
                params.collect::<Vec<_>>().join(", ")
            );
            let diagnostic = Diagnostic::new(span, message)
                .help(help)
                .rule(name, &function.origin);
            return (ExprKind::Int(0), self.error(diagnostic));
        }
        let declared = function;
        let opened;
        let mut function = declared;
        if !declared.generics.is_empty() {
            self.open(declared, &mut arguments, args);
            opened = signature(declared, &arguments);
            function = &opened;
        }
        let before = self.diagnostics.len();
        let mut sources = Vec::with_capacity(args.len());
        for (arg, param) in args.iter_mut().zip(&function.params) {
            let name = function
                .locals
                .get(param.local.0)
                .map_or("_", |local| &local.name);
            sources.push(self.argument(arg, &param.ty, (function, name)));
        }
        if self.diagnostics.len() > before {
            let ret = if declared.generics.is_empty() {
                function.ret.clone()
            } else {
                Type::Error
            };
            return (ExprKind::Int(0), ret);
        }
        if !self.close(declared, &mut arguments, args, span) {
            return (ExprKind::Int(0), Type::Error);
        }
        let ret = substituted(&declared.ret, &arguments);
        let Some(instance) = self.instance(id, sources, &arguments, span) else {
            return (ExprKind::Int(0), Type::Error);
        };
        args.retain(|arg| !matches!(self.table.shallow(&arg.ty), Type::Slice { .. }));
        (ExprKind::Instance(instance, std::mem::take(args)), ret)
    }

    /// Checks an argument against its parameter; gives the memory behind it.
    fn argument(
        &mut self,
        arg: &mut Expr,
        param: &Type,
        (callee, name): (&Function, &str),
    ) -> Option<Source> {
        let function = &callee.name;
        let error = |diagnostic: Diagnostic| diagnostic.rule(function, &callee.origin);
        let found = self.table.shallow(&arg.ty);
        match (param, found) {
            (
                Type::Slice { elem, writable, .. },
                Type::Slice {
                    elem: has,
                    writable: can,
                    source,
                },
            ) => {
                if self.unify(elem, &has).is_none() {
                    let (wanted, got) = (self.describe(elem), self.describe(&has));
                    let message = format!(
                        "`{function}` takes a slice of {wanted} as `{name}`, found a slice of {got}"
                    );
                    self.error(error(Diagnostic::new(arg.span, message)));
                } else if *writable && !can {
                    let slice = self.place_name(arg);
                    let message =
                        format!("`{function}` writes to `{name}`, but `{slice}` is read-only");
                    self.error(error(
                        Diagnostic::new(arg.span, message)
                            .help(format!("take it as `{slice}: &mut [{elem}]`")),
                    ));
                }
                source
            }
            (Type::Block { .. }, found @ Type::Block { source, .. }) => {
                self.expect(arg, param, &found);
                source
            }
            (Type::Slice { .. }, found @ Type::Array(..)) => {
                let (wanted, got) = (self.spell(param), self.describe(&found));
                let message = format!("`{function}` takes `{wanted}` as `{name}`, found {got}");
                let help = match arg.kind {
                    ExprKind::Workgroup(_) => {
                        let mutable = matches!(param, Type::Slice { writable: true, .. });
                        let mutable = if mutable { "mut " } else { "" };
                        format!("borrow it: `&{mutable}{}`", self.place_name(arg))
                    }
                    _ => "slices are bindings and workgroup memory; take the array by value".into(),
                };
                self.error(error(Diagnostic::new(arg.span, message).help(help)));
                None
            }
            (_, found) => {
                if self.unify(param, &found).is_none() {
                    let (wanted, got) = (self.table.deep(param), self.table.deep(&found));
                    let message = format!(
                        "`{function}` takes {} as `{name}`, found {}",
                        self.describe(&wanted),
                        self.describe(&got)
                    );
                    let mut diagnostic = Diagnostic::new(super::expr::value_span(arg), message);
                    let help = match (&wanted, &got) {
                        (Type::Pointer(inner), got) if **inner == *got => {
                            Some(format!("borrow it: `&mut {}`", self.place_name(arg)))
                        }
                        _ => self.conversion(&wanted, &got, Some(arg)),
                    };
                    if let Some(help) = help {
                        diagnostic = diagnostic.help(help);
                    }
                    self.error(error(diagnostic));
                }
                None
            }
        }
    }
}

/// What a call sees of a generic function.
fn signature(function: &Function, arguments: &Arguments) -> Function {
    let mut signature = Function {
        name: function.name.clone(),
        params: function.params.clone(),
        locals: function.locals.clone(),
        origin: function.origin.clone(),
        ..Function::default()
    };
    for param in &mut signature.params {
        param.ty = substituted(&param.ty, arguments);
    }
    signature
}

/// How many components `name` takes from a vector of `len`: `xy`, `zyx`, `wwxy`.
fn swizzle(name: &str, len: u8) -> Option<u8> {
    let has = &"xyzw"[..usize::from(len.min(4))];
    let fits = (2..=4).contains(&name.len()) && name.chars().all(|char| has.contains(char));
    fits.then_some(name.len() as u8)
}

/// The scalar of a vector or an atomic; any other type itself.
fn elem_of(ty: &Type) -> Type {
    match ty {
        Type::Vector(elem, _) => (**elem).clone(),
        Type::Atomic(scalar) => Type::Scalar(*scalar),
        other => other.clone(),
    }
}

/// Whether a place lies in workgroup memory.
fn in_workgroup(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Workgroup(_) => true,
        ExprKind::Index(base, _) | ExprKind::Field(base, _) => {
            let slice = matches!(
                base.ty,
                Type::Slice {
                    source: Some(Source::Workgroup(_)),
                    ..
                }
            );
            slice || in_workgroup(base)
        }
        _ => false,
    }
}
