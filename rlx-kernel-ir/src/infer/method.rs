//! Methods of device structs.

use super::Infer;
use super::expr::dereferenced;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::item::ItemId;
use crate::span::Span;
use crate::types::Type;

impl Infer<'_> {
    /// A method of a device struct; `None` where the receiver is none, or has no such method.
    pub(super) fn method_of_struct(
        &mut self,
        receiver: &mut Expr,
        (name, at): (&str, Span),
        args: &mut [Expr],
        span: Span,
    ) -> Option<(ExprKind, Type)> {
        let found = self.table.shallow(&receiver.ty);
        let (id, structure) = match &found {
            Type::Struct(id, structure) => (*id, structure.clone()),
            Type::Pointer(inner) => match self.table.shallow(inner) {
                Type::Struct(id, structure) => (id, structure),
                _ => return None,
            },
            _ => return None,
        };
        for arg in args.iter_mut() {
            self.expr(arg);
        }
        let Some(item) = self.function_of(id, name) else {
            return Some((ExprKind::Int(0), self.no_method(id, &structure, name, at)));
        };
        let module = self.module;
        let function = module.function(item)?;
        if !function.method {
            let message = format!("`{name}` of `{structure}` takes no `self`");
            let help = format!("write `{structure}::{name}(..)`");
            let error = self.error(Diagnostic::new(at, message).help(help));
            return Some((ExprKind::Int(0), error));
        }
        let by_pointer = function
            .params
            .first()
            .is_some_and(|param| matches!(param.ty, Type::Pointer(_)));
        let mut this = receiver.clone();
        match (by_pointer, found) {
            (false, Type::Pointer(inner)) => {
                dereferenced(&mut this, *inner);
            }
            (true, Type::Struct(..)) => {
                let ty = self.borrowed(&mut this, name);
                if ty == Type::Error {
                    return Some((ExprKind::Int(0), Type::Error));
                }
                let span = this.span;
                this = Expr::typed(ExprKind::Ref(true, Box::new(this)), span, ty);
            }
            _ => {}
        }
        let mut all = vec![this];
        all.extend(args.iter().cloned());
        Some(self.called(item, &mut all, span))
    }

    /// The function of that name of the struct `id`.
    fn function_of(&self, id: ItemId, name: &str) -> Option<ItemId> {
        let functions = &self.module.structure(id)?.functions;
        let named = functions.iter().find(|(function, _)| function == name);
        named.map(|(_, item)| *item)
    }

    fn no_method(&mut self, id: ItemId, structure: &str, name: &str, at: Span) -> Type {
        let module = self.module;
        let functions = module
            .structure(id)
            .map_or(&[][..], |structure| &structure.functions);
        let methods = functions.iter().filter(|(_, item)| {
            module
                .function(*item)
                .is_some_and(|function| function.method)
        });
        let methods: Vec<_> = methods.map(|(name, _)| format!("`{name}`")).collect();
        let help = if methods.is_empty() {
            "give it one: `#[device(impl)] struct`, and `#[device] impl` beside it".to_string()
        } else {
            format!("it has {}", methods.join(", "))
        };
        let message = format!("`{structure}` has no method `{name}`");
        self.error(Diagnostic::new(at, message).help(help))
    }

    /// The type of `&mut this` for a method that changes its receiver.
    fn borrowed(&mut self, this: &mut Expr, name: &str) -> Type {
        if matches!(this.kind, ExprKind::Local(_)) {
            return self.reference(this, true);
        }
        let message = format!("`{name}` changes its receiver, which must be a variable");
        let help = "keep it in a `let mut` variable, call the method on that, and store it back";
        self.error(Diagnostic::new(this.span, message).help(help))
    }
}
