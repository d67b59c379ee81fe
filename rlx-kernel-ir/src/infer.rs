//! Type inference, bottom-up with inference variables for unsuffixed literals, and the
//! specialisation of helpers for the slices and blocks they are given.

mod call;
mod expr;
mod generic;
mod matrix;
mod memory;
mod method;
mod place;
pub(crate) mod resolve;
mod stmt;
mod unify;

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::generic::{Argument, Arguments, instantiate};
use crate::item::{Function, Item, ItemId, LocalId, Module};
use crate::span::Span;
use crate::types::{Source, Type};
pub(crate) use resolve::each_expr;
use unify::Table;

/// A module whose every expression has its type.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    /// The kernel's body; none where helpers alone were checked.
    pub kernel: Option<Function>,
    /// Helpers, each specialised for the memory it is given; callees come before callers.
    pub instances: Vec<Instance>,
    /// Consts that are used, with their typed values.
    pub consts: BTreeMap<ItemId, Expr>,
}

/// A helper, specialised.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The helper.
    pub item: ItemId,
    /// The memory behind each of its parameters; none for plain values.
    pub sources: Vec<Option<Source>>,
    /// What stands for each of its generic parameters.
    pub arguments: Vec<Argument>,
    /// The typed body; slices are gone from its parameters.
    pub function: Function,
}

/// Infers the types of the kernel and of every helper it reaches.
///
/// # Errors
/// All problems found, in source order.
pub fn infer(module: &Module) -> Result<Typed, Vec<Diagnostic>> {
    match infer_all(module) {
        (typed, problems) if problems.is_empty() => Ok(typed),
        (_, problems) => Err(problems),
    }
}

/// As [`infer`], but gives what has types beside the problems: what has none is poisoned, of type
/// [`Type::Error`].
pub fn infer_all(module: &Module) -> (Typed, Vec<Diagnostic>) {
    let mut infer = Infer::new(module);
    if let Some(kernel) = &module.kernel {
        let function = infer.function(kernel.function.clone());
        infer.typed.kernel = Some(function);
        // Consts and overrides that only sizes name are declared too.
        let lengths = kernel.workgroup.iter().filter_map(|var| var.len.as_ref());
        for size in kernel.workgroup_exprs.iter().flatten().chain(lengths) {
            infer.expr(&mut size.clone());
        }
    }
    infer.finish()
}

/// Infers the types of `roots` and of every helper they reach, without a kernel. Functions that
/// take slices or blocks are left out: they have types only once a kernel calls them. Gives all
/// problems too, in source order; what is wrong is poisoned.
pub fn infer_functions(module: &Module, roots: &[ItemId]) -> (Typed, Vec<Diagnostic>) {
    let mut infer = Infer::new(module);
    for root in roots {
        let Some(Item::Function(function)) = module.items.get(root.0) else {
            continue;
        };
        let plain = |ty: &Type| !matches!(ty, Type::Slice { .. } | Type::Block { .. });
        if function.generics.is_empty() && function.params.iter().all(|param| plain(&param.ty)) {
            let sources = vec![None; function.params.len()];
            infer.instance(*root, sources, &Arguments::new(), Span::NONE);
        }
    }
    infer.finish()
}

struct Infer<'m> {
    module: &'m Module,
    typed: Typed,
    /// Helpers being inferred, outermost first.
    stack: Vec<ItemId>,
    diagnostics: Vec<Diagnostic>,
    /// How many of the diagnostics have poisoned what they are about.
    placed: usize,
    /// The state of the function at hand.
    table: Table,
    function: Option<Function>,
    /// Loops around the statement at hand.
    loops: usize,
}

impl<'m> Infer<'m> {
    fn new(module: &'m Module) -> Self {
        Self {
            module,
            typed: Typed::default(),
            stack: Vec::new(),
            diagnostics: Vec::new(),
            placed: 0,
            table: Table::default(),
            function: None,
            loops: 0,
        }
    }

    fn finish(mut self) -> (Typed, Vec<Diagnostic>) {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.span);
        self.diagnostics.dedup();
        (self.typed, self.diagnostics)
    }

    /// Whether there are problems that have poisoned nothing yet: those of the node at hand.
    fn is_wrong(&mut self) -> bool {
        let is_wrong = self.diagnostics.len() > self.placed;
        self.placed = self.diagnostics.len();
        is_wrong
    }

    fn error(&mut self, diagnostic: Diagnostic) -> Type {
        self.diagnostics.push(diagnostic);
        Type::Error
    }

    fn locals(&mut self) -> &mut [crate::item::Local] {
        self.function
            .as_mut()
            .map_or(&mut [], |function| &mut function.locals)
    }

    fn local_type(&mut self, local: LocalId) -> Type {
        self.locals()
            .get(local.0)
            .map_or(Type::Error, |local| local.ty.clone())
    }

    /// Infers one function body in a state of its own.
    fn function(&mut self, mut function: Function) -> Function {
        let table = std::mem::take(&mut self.table);
        let loops = std::mem::take(&mut self.loops);
        let mut body = std::mem::take(&mut function.body);
        let ret = function.ret.clone();
        let span = function.span;
        let outer = self.function.replace(function);
        for index in 0..self.locals().len() {
            if self.local_type(LocalId(index)) == Type::Unknown {
                let fresh = self.table.fresh(unify::Kind::Any);
                self.locals()[index].ty = fresh;
            }
        }

        let found = self.block(&mut body);
        let at = body
            .tail
            .as_ref()
            .map_or(span, |tail| expr::value_span(tail));
        if found == Type::Unit && !matches!(ret, Type::Unit | Type::Error) && body.tail.is_none() {
            let message =
                format!("this function returns `{ret}`, but its body ends without a value");
            self.error(
                Diagnostic::new(span, message)
                    .help("end the body with the value, without a semicolon"),
            );
        } else if ret == Type::Unit && !matches!(found, Type::Unit | Type::Never | Type::Error) {
            // A kernel's last call may give a value that nobody wants.
            if body.tail.is_some() && self.unify(&found, &ret).is_none() {
                let found = self.describe(&found);
                let message =
                    format!("this function returns nothing, but its body ends with {found}");
                self.error(Diagnostic::new(at, message).help("end it with a semicolon"));
            }
        } else {
            self.expect_at(at, &ret, &found, None);
        }
        if self.is_wrong() {
            match &mut body.tail {
                Some(tail) => tail.ty = Type::Error,
                None => body.tail = Some(Box::new(crate::poison::expr(span))),
            }
        }
        self.resolve_body(&mut body);
        self.untyped();
        self.placed = self.diagnostics.len();

        let Some(mut function) = std::mem::replace(&mut self.function, outer) else {
            return Function {
                span,
                ..Function::default()
            };
        };
        for local in &mut function.locals {
            local.ty = self.table.settled(&local.ty);
        }
        function.body = body;
        self.table = table;
        self.loops = loops;
        function
    }

    /// Reports variables of which nothing tells the type.
    fn untyped(&mut self) {
        for index in 0..self.locals().len() {
            let local = self.locals()[index].clone();
            let ty = self.table.shallow(&local.ty);
            if self.table.kind(&ty) == Some(unify::Kind::Any) {
                let name = &local.name;
                let message = format!("nothing tells the type of `{name}`");
                self.error(
                    Diagnostic::new(local.span, message)
                        .help(format!("write it: `let {name}: f32`")),
                );
            }
        }
    }

    /// The instance of helper `item` for `sources` and generic `arguments`, inferred on its first
    /// use.
    fn instance(
        &mut self,
        item: ItemId,
        sources: Vec<Option<Source>>,
        given: &Arguments,
        call: Span,
    ) -> Option<usize> {
        let arguments: Vec<_> = given.values().cloned().collect();
        let known = self.typed.instances.iter().position(|instance| {
            instance.item == item && instance.sources == sources && instance.arguments == arguments
        });
        if known.is_some() {
            return known;
        }
        let mut function = self.module.function(item)?.clone();
        if self.stack.contains(&item) {
            let name = &function.name;
            let message = format!(
                "`{name}` calls itself: a GPU has no call stack, so recursion is not possible"
            );
            self.error(Diagnostic::new(call, message).help("write a loop"));
            return None;
        }
        instantiate(self.module, &mut function, given);
        if let Some(problem) = self.missing_in(&function, call) {
            self.error(problem);
            return None;
        }
        let before = self.diagnostics.len();
        for (param, source) in function.params.iter_mut().zip(&sources) {
            match &mut param.ty {
                Type::Slice { source: behind, .. } | Type::Block { source: behind, .. } => {
                    *behind = *source;
                }
                _ => {}
            }
            function.locals[param.local.0].ty = param.ty.clone();
        }
        self.stack.push(item);
        let mut function = self.function(function);
        self.stack.pop();
        self.explain(before, given, (&function.name, call));
        function
            .params
            .retain(|param| !matches!(param.ty, Type::Slice { .. }));
        self.typed.instances.push(Instance {
            item,
            sources,
            arguments,
            function,
        });
        Some(self.typed.instances.len() - 1)
    }
}
