//! What may be written.

use super::Infer;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::types::{Source, Type};

impl Infer<'_> {
    /// Reports unless `place` can be assigned.
    pub(super) fn writable(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Index(base, _) | ExprKind::Field(base, _) => {
                match self.table.shallow(&base.ty) {
                    Type::Slice { writable: true, .. } | Type::Error => {}
                    Type::Slice { elem, source, .. } => {
                        let name = self.place_name(base);
                        let message = match source {
                            Some(Source::Binding(_)) => format!("`{name}` is a read-only binding"),
                            _ => format!("`{name}` is a shared slice"),
                        };
                        self.error(
                            Diagnostic::new(base.span, message)
                                .help(format!("take it as `{name}: &mut [{elem}]`")),
                        );
                    }
                    _ => self.writable(base),
                }
            }
            ExprKind::Local(local) => {
                let Some(variable) = self
                    .function
                    .as_ref()
                    .and_then(|function| function.locals.get(local.0))
                else {
                    return;
                };
                if !variable.mutable && !matches!(variable.ty, Type::Pointer(_)) {
                    let name = variable.name.clone();
                    let message = format!("`{name}` is not `mut`, so it cannot be assigned");
                    self.error(
                        Diagnostic::new(place.span, message)
                            .help(format!("declare it as `let mut {name}`")),
                    );
                }
            }
            ExprKind::Workgroup(_) => {}
            ExprKind::Deref(inner) => {
                if !matches!(
                    self.table.shallow(&inner.ty),
                    Type::Pointer(_) | Type::Error
                ) {
                    self.error(Diagnostic::new(
                        place.span,
                        "only a `&mut` parameter can be written through `*`",
                    ));
                }
            }
            ExprKind::Param(_) => {
                let diagnostic = Diagnostic::new(
                    place.span,
                    "a kernel's params are the same for all invocations and cannot be assigned",
                );
                self.error(diagnostic.help("copy it into a `let mut` variable first"));
            }
            ExprKind::Binding(_) => {
                self.error(
                    Diagnostic::new(place.span, "a whole slice cannot be assigned")
                        .help("assign its elements: `y[i] = value`"),
                );
            }
            _ if place.ty == Type::Error => {}
            _ => {
                self.error(Diagnostic::new(
                    place.span,
                    "this is a value, not a place that can be assigned",
                ));
            }
        }
    }

    /// The author's name for the slice or variable that `expr` is.
    pub(super) fn place_name(&self, expr: &Expr) -> String {
        let kernel = self.module.kernel.as_ref();
        let name = match &expr.kind {
            ExprKind::Local(local) => self
                .function
                .as_ref()
                .and_then(|function| function.locals.get(local.0))
                .map(|local| &local.name),
            ExprKind::Binding(index) => kernel
                .and_then(|kernel| kernel.bindings.get(*index))
                .map(|binding| &binding.name),
            ExprKind::Workgroup(index) => kernel
                .and_then(|kernel| kernel.workgroup.get(*index))
                .map(|var| &var.name),
            ExprKind::Param(index) => kernel
                .and_then(|kernel| kernel.params.get(*index))
                .map(|param| &param.name),
            ExprKind::Ref(_, inner) | ExprKind::Deref(inner) => return self.place_name(inner),
            _ => None,
        };
        name.cloned().unwrap_or_else(|| "it".into())
    }
}
