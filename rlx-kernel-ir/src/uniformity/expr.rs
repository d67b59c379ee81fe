//! Expressions.

use std::rc::Rc;

use super::cause::{Branch, Cause, Value, in_caller};
use super::{Collective, Scope, Walker, report};
use crate::builtin::{Builtin, Effect, Input, Spelling};
use crate::expr::{Expr, ExprKind};
use crate::span::Span;
use crate::types::{Source, Type};

impl Walker<'_, '_> {
    /// The value of an expression that is kept: what is computed where only some invocations come
    /// is not uniform.
    pub fn value(&mut self, expr: &Expr) -> Value {
        let value = self.expr(expr);
        value.or_else(|| self.flow.control.clone())
    }

    /// The value of an expression among the invocations that compute it; nothing is made of one that
    /// is poisoned.
    pub fn expr(&mut self, expr: &Expr) -> Value {
        let value = self.sound(expr);
        value.filter(|_| expr.ty != Type::Error)
    }

    fn sound(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Hex(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Literal(_)
            | ExprKind::Param(_)
            | ExprKind::Const(_)
            | ExprKind::Table(_)
            // The length of a binding is the same for all, even where its contents are written.
            | ExprKind::Length(_) => None,
            // Printed as a literal.
            ExprKind::Local(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Cast(_)
                if self.eval(expr).is_some() =>
            {
                None
            }
            ExprKind::Local(local) => match &expr.ty {
                Type::Slice { source, .. } => self.memory(*source),
                _ => self.flow.get(*local),
            },
            ExprKind::Binding(index) => self.memory(Some(Source::Binding(*index))),
            ExprKind::Workgroup(index) => self.memory(Some(Source::Workgroup(*index))),
            ExprKind::Unary(_, inner)
            | ExprKind::Cast(inner)
            | ExprKind::Field(inner, _)
            | ExprKind::Repeat(inner, _)
            | ExprKind::Ref(_, inner)
            | ExprKind::Deref(inner) => self.expr(inner),
            ExprKind::Load {
                source, address, ..
            } => {
                let address = self.expr(address);
                self.memory(Some(*source)).or(address)
            }
            ExprKind::Binary(op, a, b) if op.is_logical() => {
                let left = self.expr(a);
                let control = Branch::Logical.on(left.clone(), a.span);
                let right = self.fork(&control, 2, |walker, arm| {
                    if arm == 0 { walker.value(b) } else { None }
                });
                left.or(right)
            }
            ExprKind::Binary(op, a, b) if matches!(expr.ty, Type::Matrix(..)) => {
                self.matrix(op.text(), &[a, b], expr.span)
            }
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                a.or(b)
            }
            ExprKind::Array(args) | ExprKind::Printed(_, args) => self.all(args),
            ExprKind::Struct(_, fields) => fields.iter().fold(None, |value, (_, field)| {
                let found = self.expr(field);
                value.or(found)
            }),
            ExprKind::If(condition, then, otherwise) => {
                self.branches(condition, then, otherwise.as_deref())
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Match(value, arms) => {
                let selector = self.expr(value);
                let control = Branch::Match.on(selector, value.span);
                self.fork(&control, arms.len(), |walker, arm| {
                    walker.value(&arms[arm].1)
                })
            }
            ExprKind::Instance(index, args) => self.instance(*index, args, expr.span),
            ExprKind::Builtin(builtin, args) => self.builtin(builtin, args, expr.span),
            // What inference replaces, and what is not known here: nothing is taken for granted.
            _ => Some(origin("an operation whose result may differ".into())),
        }
    }

    /// Several expressions, all of them followed.
    fn all(&mut self, exprs: &[Expr]) -> Value {
        exprs.iter().fold(None, |value, expr| {
            let found = self.expr(expr);
            value.or(found)
        })
    }

    fn branches(
        &mut self,
        condition: &Expr,
        then: &crate::stmt::Block,
        otherwise: Option<&Expr>,
    ) -> Value {
        if let Some(value) = self.eval(condition) {
            return match otherwise {
                _ if value != 0 => self.block(then),
                Some(otherwise) => self.value(otherwise),
                None => None,
            };
        }
        let value = self.expr(condition);
        let control = Branch::If.on(value, condition.span);
        self.fork(&control, 2, |walker, arm| match otherwise {
            _ if arm == 0 => walker.block(then),
            Some(otherwise) => walker.value(otherwise),
            None => None,
        })
    }

    /// What is read from memory at a uniform index.
    fn memory(&self, source: Option<Source>) -> Value {
        let kernel = self.analysis.module.kernel.as_ref();
        match source {
            Some(Source::Binding(index)) => {
                let binding = kernel.and_then(|kernel| kernel.bindings.get(index));
                match binding {
                    Some(binding) if !binding.writable => None,
                    Some(binding) => Some(origin(format!("the writable slice `{}`", binding.name))),
                    None => Some(origin("a writable slice".into())),
                }
            }
            Some(Source::Workgroup(index)) => {
                let var = kernel.and_then(|kernel| kernel.workgroup.get(index));
                let name = var.map_or("", |var| &var.name);
                Some(origin(format!("the workgroup memory `{name}`")))
            }
            Some(Source::Table(_)) => None,
            None => Some(origin("a writable slice".into())),
        }
    }

    fn instance(&mut self, index: usize, args: &[Expr], span: Span) -> Value {
        let given: Vec<_> = args.iter().map(|arg| (self.expr(arg), arg.span)).collect();
        let summary = self.call(index, &given, span)?;
        let values: Vec<_> = given.into_iter().map(|(value, _)| value).collect();
        for (arg, out) in args.iter().zip(&summary.outs) {
            if matches!(arg.ty, Type::Pointer(_))
                && let Some(local) = self.place(arg).local
            {
                let value = out.as_ref().map(|cause| in_caller(cause, &values));
                self.assign(local, value.or(self.flow.control.clone()), span);
            }
        }
        let cause = summary.ret.as_ref()?;
        let function = &self.analysis.typed.instances.get(index)?.function;
        Some(Rc::new(Cause::Returned {
            function: function.name.clone(),
            span,
            by: in_caller(cause, &values),
        }))
    }

    fn builtin(&mut self, builtin: &'static Builtin, args: &[Expr], span: Span) -> Value {
        if let Spelling::Input(input) = builtin.wgsl {
            let is_shared = is_uniform(input, self.analysis.scope);
            return (!is_shared).then(|| origin(format!("`{}()`", builtin.name)));
        }
        if builtin.is_of_matrices() {
            let args: Vec<_> = args.iter().collect();
            return self.matrix(builtin.name, &args, span);
        }
        if builtin.effect == Effect::Pure {
            return self.all(args);
        }
        if builtin.effect == Effect::Barrier {
            // What a barrier takes is the place that it reads for all invocations.
            let places = args.iter().map(|arg| self.place(arg).indices);
            let index = places.fold(None, Option::or);
            self.collective(builtin, span);
            if let (Some(index), Some(place)) = (index, args.first())
                && self.analysis.scope == Scope::Workgroup
            {
                self.report(report::differs(builtin.name, place.span, &index));
            }
            return None;
        }
        if builtin.effect == Effect::Subgroup {
            let values: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
            self.collective(builtin, span);
            if self.analysis.scope == Scope::Subgroup && gives_all_the_same(builtin) {
                return None;
            }
            let shifts = matches!(
                builtin.wgsl,
                Spelling::Call("subgroupShuffleXor" | "subgroupShuffleUp" | "subgroupShuffleDown")
            );
            let shifts = shifts && self.analysis.scope == Scope::Workgroup;
            if let (true, Some(Some(by)), Some(arg)) = (shifts, values.get(1), args.get(1)) {
                self.report(report::differs(builtin.name, arg.span, by));
            }
        } else {
            self.all(args);
        }
        Some(origin(format!("the result of `{}`", builtin.name)))
    }

    /// What is done with matrices: the whole subgroup does it, with the same numbers. Nothing that is
    /// known of an invocation comes out of it.
    fn matrix(&mut self, name: &'static str, args: &[&Expr], span: Span) -> Value {
        let mut differing = Vec::new();
        for arg in args {
            let is_matrix = matches!(arg.ty, Type::Matrix(..));
            let value = match &arg.kind {
                // The place in memory of the first element.
                ExprKind::Index(base, index) if !is_matrix => {
                    let outer = self.place(base).indices;
                    let value = self.expr(index);
                    outer.or(value)
                }
                _ => self.expr(arg),
            };
            differing.extend(value.filter(|_| !is_matrix).map(|value| (arg.span, value)));
        }
        if self.analysis.scope == Scope::Subgroup {
            self.reach(Collective {
                name,
                span,
                scope: Scope::Subgroup,
                subgroup: true,
                function: self.function.name.clone(),
            });
            for (at, value) in differing {
                self.report(report::differs(name, at, &value));
            }
        }
        None
    }

    /// An operation that all invocations of the workgroup must reach.
    fn collective(&mut self, builtin: &'static Builtin, span: Span) {
        if self.analysis.scope == Scope::Subgroup {
            return;
        }
        self.reach(Collective {
            name: builtin.name,
            span,
            scope: Scope::Workgroup,
            subgroup: builtin.effect == Effect::Subgroup,
            function: self.function.name.clone(),
        });
    }

    fn reach(&mut self, collective: Collective) {
        if let Some(control) = self.flow.control.clone() {
            self.report(report::unreached(&collective, None, &control));
        }
        self.collective.get_or_insert(collective);
    }
}

fn origin(what: String) -> Rc<Cause> {
    Rc::new(Cause::Origin(what))
}

/// Whether all invocations of a workgroup, or of a subgroup, are given the same.
fn is_uniform(input: Input, scope: Scope) -> bool {
    matches!(
        input,
        Input::WorkgroupId
            | Input::NumWorkgroups
            | Input::WorkgroupIndex
            | Input::NumSubgroups
            | Input::SubgroupSize
    ) || scope == Scope::Subgroup && input == Input::SubgroupId
}

/// Whether a subgroup operation gives all invocations of the subgroup one value.
fn gives_all_the_same(builtin: &Builtin) -> bool {
    let Spelling::Call(name) = builtin.wgsl else {
        return false;
    };
    let differs = ["Shuffle", "Inclusive", "Exclusive"];
    !differs.iter().any(|kind| name.contains(kind))
}
