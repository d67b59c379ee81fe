//! What stands for the parameters of a generic function at a call of it.

use super::Infer;
use super::unify::Kind;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::generic::{Argument, Arguments, Bound, parameter_of_length};
use crate::item::{Function, Item, ItemId, Module};
use crate::span::Span;
use crate::types::Type;

impl Infer<'_> {
    /// `f::<T, N>(args)`
    pub(super) fn call_of(
        &mut self,
        id: ItemId,
        given: &[Argument],
        args: &mut Vec<Expr>,
        span: Span,
    ) -> (ExprKind, Type) {
        for arg in args.iter_mut() {
            self.expr(arg);
        }
        let module = self.module;
        let Some(function) = module.function(id) else {
            return self.called(id, args, span);
        };
        if given.len() != function.generics.len() {
            let (name, wanted, found) = (&function.name, function.generics.len(), given.len());
            let plural = if wanted == 1 { "" } else { "s" };
            let message =
                format!("`{name}` takes {wanted} generic argument{plural}, found {found}");
            let diagnostic = Diagnostic::new(span, message)
                .help("leave them out where the arguments tell them, or give all of them")
                .rule(name, &function.origin);
            return (ExprKind::Int(0), self.error(diagnostic));
        }
        let mut arguments = Arguments::new();
        for (parameter, argument) in function.generics.iter().zip(given) {
            if *argument != Argument::Open {
                arguments.insert(*parameter, argument.clone());
            }
        }
        self.applied(id, arguments, args, span)
    }

    /// What stands for the parameters of `function` that `arguments` lacks: variables for types,
    /// which the arguments tell, and the rest from the arguments' types at once.
    pub(super) fn open(&mut self, function: &Function, arguments: &mut Arguments, args: &[Expr]) {
        for parameter in &function.generics {
            let is_type = self
                .module
                .generic(*parameter)
                .is_some_and(|generic| generic.bound == Bound::Float);
            if is_type && !arguments.contains_key(parameter) {
                let fresh = self.table.fresh(Kind::Any);
                arguments.insert(*parameter, Argument::Type(fresh));
            }
        }
        for (param, arg) in function.params.iter().zip(args) {
            let found = self.table.deep(&arg.ty);
            matched(&param.ty, &found, &mut |id, argument| {
                if function.generics.contains(&id) {
                    arguments.entry(id).or_insert(argument);
                }
            });
        }
    }

    /// Says of the problems from `before` on, found in an instance of the generic function `name`,
    /// which instance that is and which call makes it.
    pub(super) fn explain(&mut self, before: usize, given: &Arguments, (name, call): (&str, Span)) {
        if given.is_empty() || self.diagnostics.len() == before {
            return;
        }
        let module = self.module;
        let values = given.iter().filter_map(|(id, argument)| {
            let letter = &module.generic(*id)?.name;
            Some(format!("`{letter} = {}`", module.spell(argument)))
        });
        let values: Vec<_> = values.collect();
        let text = format!("`{name}` is compiled for {} by the call", values.join(", "));
        for diagnostic in &mut self.diagnostics[before..] {
            if call != Span::NONE && !diagnostic.notes.iter().any(|(span, _)| *span == call) {
                diagnostic.notes.push((call, text.clone()));
            }
        }
    }

    /// Checks that `arguments` are what the parameters of `function` ask for, once its call's
    /// arguments are typed.
    pub(super) fn close(
        &mut self,
        function: &Function,
        arguments: &mut Arguments,
        args: &[Expr],
        span: Span,
    ) -> bool {
        let module = self.module;
        for parameter in &function.generics {
            let Some(generic) = module.generic(*parameter) else {
                return false;
            };
            let (name, letter) = (&function.name, &generic.name);
            let mut argument = arguments.get(parameter).cloned();
            if let Some(Argument::Type(ty)) = &argument {
                let ty = self.table.deep(ty);
                argument = match self.table.kind(&ty) {
                    Some(Kind::Any) => None,
                    Some(Kind::Int) => Some(Type::I32),
                    // An unsuffixed literal.
                    Some(_) => self.unify(&ty, &Type::F32),
                    None => Some(ty),
                }
                .map(Argument::Type);
            }
            let Some(argument) = argument else {
                let message = format!("nothing tells `{letter}` of `{name}`");
                let example = match generic.bound {
                    Bound::Format => "F",
                    Bound::Float => "f32",
                    Bound::Const => "4",
                    Bound::Trait(_) => "Type",
                };
                let help = format!("write it: `{name}::<{example}>(..)`");
                let diagnostic = Diagnostic::new(span, message).help(help);
                self.error(diagnostic.rule(name, &function.origin));
                return false;
            };
            let fits = match (&argument, generic.bound) {
                (Argument::Type(Type::Error), _) => return false,
                (Argument::Type(Type::Scalar(scalar)), Bound::Float) => scalar.is_float(),
                (Argument::Format(_), Bound::Format) | (Argument::Const(_), Bound::Const) => true,
                (Argument::Type(Type::Struct(id, _)), Bound::Trait(of)) => has_all(module, *id, of),
                (Argument::Type(Type::Param(id, _)), Bound::Trait(of)) => module
                    .generic(*id)
                    .is_some_and(|given| given.bound == Bound::Trait(of)),
                _ => false,
            };
            if !fits {
                let found = module.spell(&argument);
                let bound = match generic.bound {
                    Bound::Trait(of) => match module.device_trait(of) {
                        Some(of) => format!("a type that implements `{}`", of.name),
                        None => generic.bound.to_string(),
                    },
                    bound => bound.to_string(),
                };
                let message = format!("`{name}` takes {bound} as `{letter}`, found `{found}`");
                let holds = |ty: &Type| names(ty, *parameter);
                let mut culprits = function.params.iter().zip(args);
                let at = culprits
                    .find(|(param, _)| holds(&param.ty))
                    .map_or(span, |(_, arg)| super::expr::value_span(arg));
                let mut diagnostic = Diagnostic::new(at, message);
                if let (Argument::Type(Type::Struct(_, structure)), Bound::Trait(of)) =
                    (&argument, generic.bound)
                    && let Some(of) = module.device_trait(of).map(|of| &of.name)
                {
                    diagnostic = diagnostic.help(format!(
                        "write `#[device(impl {of})]` on `{structure}`, and `#[device] impl {of} for {structure}` beside it"
                    ));
                }
                self.error(diagnostic.rule(name, &function.origin));
                return false;
            }
            arguments.insert(*parameter, argument);
        }
        true
    }
}

impl Infer<'_> {
    /// What is wrong with the path `name`, where it names what the trait of a parameter lacks.
    pub(super) fn not_in_trait(&self, name: &str, at: Span) -> Option<Diagnostic> {
        let (owner, member) = name.rsplit_once("::")?;
        let mut generics = self.module.items.iter().filter_map(|item| match item {
            Item::Generic(generic) if generic.name == owner => Some(generic),
            _ => None,
        });
        let of = generics.find_map(|generic| match generic.bound {
            Bound::Trait(of) => self.module.device_trait(of),
            _ => None,
        })?;
        let functions = of.functions.iter().map(|(name, _)| name);
        let consts = of.consts.iter().map(|(name, _)| name);
        let has: Vec<_> = consts
            .chain(functions)
            .map(|name| format!("`{name}`"))
            .collect();
        let message = format!("the trait `{}` has no `{member}`", of.name);
        Some(Diagnostic::new(at, message).help(format!("it has {}", has.join(", "))))
    }
}

/// Whether a struct has all that a trait asks for.
fn has_all(module: &Module, id: ItemId, of: ItemId) -> bool {
    let (Some(structure), Some(of)) = (module.structure(id), module.device_trait(of)) else {
        return false;
    };
    let has = |all: &[(String, ItemId)], name: &String| all.iter().any(|(has, _)| has == name);
    let mut functions = of.functions.iter();
    let mut consts = of.consts.iter();
    functions.all(|(name, _)| has(&structure.functions, name))
        && consts.all(|(name, _)| has(&structure.consts, name))
}

/// Whether `ty` names the parameter `id`.
fn names(ty: &Type, id: ItemId) -> bool {
    match ty {
        Type::Param(param, _) => *param == id,
        Type::Packed(format) | Type::Block { format, .. } => *format == id,
        Type::Array(elem, len) | Type::Matrix(elem, _, len) => {
            parameter_of_length(*len) == Some(id) || names(elem, id)
        }
        Type::Vector(elem, _) | Type::Slice { elem, .. } | Type::Pointer(elem) => names(elem, id),
        _ => false,
    }
}

/// Reads formats and lengths off the type of an argument.
fn matched(param: &Type, found: &Type, tell: &mut dyn FnMut(ItemId, Argument)) {
    match (param, found) {
        (Type::Packed(id), Type::Packed(format))
        | (Type::Block { format: id, .. }, Type::Block { format, .. }) => {
            tell(*id, Argument::Format(*format));
        }
        (Type::Array(elem, len), Type::Array(has, found)) => {
            if let Some(id) = parameter_of_length(*len) {
                tell(id, Argument::Const(*found));
            }
            matched(elem, has, tell);
        }
        (Type::Matrix(elem, _, size), Type::Matrix(has, _, found)) => {
            if let Some(id) = parameter_of_length(*size) {
                tell(id, Argument::Const(*found));
            }
            matched(elem, has, tell);
        }
        (Type::Slice { elem, .. }, Type::Slice { elem: has, .. })
        | (Type::Pointer(elem), Type::Pointer(has)) => matched(elem, has, tell),
        _ => {}
    }
}
