//! What is declared and not used. A name that begins with `_` says that this is meant.

use std::collections::BTreeSet;

use super::{Form, Subject};
use crate::builtin::{Builtin, Form as CallForm};
use crate::diagnostic::Diagnostic;
use crate::expr::ExprKind;
use crate::item::LocalId;
use crate::stmt::{Block, Stmt};
use crate::walk::{self, Node, root};

/// `unused_binding`
pub(super) fn binding(subject: &Subject<'_>) -> Vec<(Form, Diagnostic)> {
    let Some(kernel) = subject.kernel else {
        return Vec::new();
    };
    let used = &subject.names().bindings;
    let unused = kernel.bindings.iter().enumerate();
    let unused = unused.filter(|(index, binding)| !used.contains(index) && is_meant(&binding.name));
    let found = unused.map(|(_, binding)| {
        let name = &binding.name;
        let message = format!(
            "the kernel never reads or writes `{name}`, and still takes one of the 8 slices that every device binds"
        );
        let help = format!("remove it, or name it `_{name}` if its place is meant");
        (Form::Own, Diagnostic::new(binding.span, message).help(help))
    });
    found.collect()
}

/// `unused_param`
pub(super) fn param(subject: &Subject<'_>) -> Vec<(Form, Diagnostic)> {
    let Some(kernel) = subject.kernel else {
        return Vec::new();
    };
    let used = &subject.names().params;
    let unused = kernel.params.iter().enumerate();
    let unused = unused.filter(|(index, param)| !used.contains(index) && is_meant(&param.name));
    let found = unused.map(|(_, param)| {
        let name = &param.name;
        let message =
            format!("the kernel never reads `{name}`, and still asks every launch for it");
        let help = format!("remove it, or name it `_{name}` if its place is meant");
        (Form::Own, Diagnostic::new(param.span, message).help(help))
    });
    found.collect()
}

/// `unused_variables`
pub(super) fn variables(subject: &Subject<'_>) -> Vec<(Form, Diagnostic)> {
    let names = subject.names();
    let mut found = Vec::new();
    for (index, local) in subject.function.locals.iter().enumerate() {
        let id = LocalId(index);
        if names.read.contains(&id) || !is_meant(&local.name) {
            continue;
        }
        let name = &local.name;
        let (form, message) = if names.assigned.contains(&id) {
            let message = format!("variable `{name}` is assigned to, but never used");
            (Form::Assigned, message)
        } else {
            (Form::Unused, format!("unused variable: `{name}`"))
        };
        let help = format!("remove it, or name it `_{name}`");
        found.push((form, Diagnostic::new(local.span, message).help(help)));
    }
    let memory = subject.kernel.iter().flat_map(|kernel| &kernel.workgroup);
    for (index, var) in memory.enumerate() {
        if !names.workgroup.contains(&index) && is_meant(&var.name) {
            let message = format!("unused variable: `{}`", var.name);
            let help = format!("remove it, or name it `_{}`", var.name);
            let diagnostic = Diagnostic::new(var.span, message).help(help);
            found.push((Form::Unused, diagnostic));
        }
    }
    found
}

/// `unused_mut`
pub(super) fn mutability(subject: &Subject<'_>) -> Vec<(Form, Diagnostic)> {
    let names = subject.names();
    let found = subject.function.locals.iter().enumerate();
    let found = found.filter(|(index, local)| {
        let id = LocalId(*index);
        local.mutable && names.begun.contains(&id) && !names.changed.contains(&id)
    });
    let found = found.map(|(_, local)| {
        let message = "variable does not need to be mutable";
        let diagnostic = Diagnostic::new(local.span, message).help("remove this `mut`");
        (Form::Mutable, diagnostic)
    });
    found.collect()
}

fn is_meant(name: &str) -> bool {
    !name.starts_with('_')
}

/// The names in a body.
#[derive(Debug, Default)]
pub(super) struct Names {
    bindings: BTreeSet<usize>,
    params: BTreeSet<usize>,
    workgroup: BTreeSet<usize>,
    /// Variables whose value, or a part of it, is read or passed on.
    read: BTreeSet<LocalId>,
    /// Variables that are assigned as a whole.
    assigned: BTreeSet<LocalId>,
    /// Variables that are assigned, in whole or in part, or borrowed so.
    changed: BTreeSet<LocalId>,
    /// Variables that have a first value.
    begun: BTreeSet<LocalId>,
}

impl Names {
    pub fn of(body: &Block) -> Self {
        let mut names = Self::default();
        walk::nodes(body, &mut |node| names.visit(node));
        names
    }

    fn visit(&mut self, node: Node<'_>) -> bool {
        match node {
            Node::Stmt(Stmt::Let {
                local,
                init: Some(_),
                ..
            }) => {
                self.begun.insert(*local);
            }
            Node::Stmt(Stmt::Assign { place, value, .. }) => {
                self.changed.extend(root(place));
                if let ExprKind::Local(local) = place.kind {
                    self.assigned.insert(local);
                    walk::nodes_of(value, &mut |node| self.visit(node));
                    return false;
                }
            }
            Node::Stmt(_) => {}
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Binding(index) => {
                    self.bindings.insert(*index);
                }
                ExprKind::Param(index) => {
                    self.params.insert(*index);
                }
                ExprKind::Workgroup(index) => {
                    self.workgroup.insert(*index);
                }
                ExprKind::Local(local) => {
                    self.read.insert(*local);
                }
                ExprKind::Ref(true, inner) => self.changed.extend(root(inner)),
                // A method of the author's may change what it is called on.
                ExprKind::Method(receiver, name, ..)
                    if Builtin::find(name, CallForm::Method).is_none() =>
                {
                    self.changed.extend(root(receiver));
                }
                _ => {}
            },
        }
        true
    }
}
