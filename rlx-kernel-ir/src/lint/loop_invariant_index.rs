//! `loop_invariant_index`

use std::collections::BTreeSet;

use super::{Form, Subject};
use crate::builtin::{Builtin, Effect, Form as CallForm};
use crate::consteval::{self, Env};
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::item::{LocalId, Module};
use crate::stmt::{Block, Stmt};
use crate::walk::{self, Node, root};

/// Multiplications that are worth a variable.
const MULTIPLICATIONS: usize = 3;

/// Parts of an index in a loop that are the same in every round, and cost a division or a chain of
/// multiplications each time.
pub(super) fn check(subject: &Subject<'_>) -> Vec<(Form, Diagnostic)> {
    let mut finder = Finder {
        module: subject.module,
        found: Vec::new(),
    };
    walk::nodes(&subject.function.body, &mut |node| {
        if let Node::Stmt(
            Stmt::For {
                unroll: false,
                body,
                ..
            }
            | Stmt::While { body, .. }
            | Stmt::Loop { body, .. },
        ) = node
        {
            finder.in_loop(node, body);
        }
        true
    });
    finder.found
}

struct Finder<'m> {
    module: &'m Module,
    found: Vec<(Form, Diagnostic)>,
}

impl Finder<'_> {
    /// The indices of a loop, but for those in the loops in it, which have their own turn.
    fn in_loop(&mut self, whole: Node<'_>, body: &Block) {
        let changed = changed(whole, body);
        walk::nodes(body, &mut |node| match node {
            Node::Stmt(
                Stmt::For { unroll: false, .. } | Stmt::While { .. } | Stmt::Loop { .. },
            ) => false,
            Node::Expr(expr) => {
                if let ExprKind::Index(_, index) = &expr.kind {
                    self.in_index(index, &changed);
                }
                true
            }
            Node::Stmt(_) => true,
        });
    }

    /// The largest parts of an index that stay the same.
    fn in_index(&mut self, index: &Expr, changed: &BTreeSet<LocalId>) {
        if is_kept(index, changed) {
            let cost = self.cost(index);
            let what = match cost {
                Cost { divisions: 1.., .. } => "a division",
                Cost { products, .. } if products >= MULTIPLICATIONS => "several multiplications",
                _ => return,
            };
            let message = format!(
                "this part of an index is the same in every round of the loop, and costs {what} each time"
            );
            let help = "compute it before the loop, into a `let`";
            self.found
                .push((Form::Own, Diagnostic::new(index.span, message).help(help)));
            return;
        }
        match &index.kind {
            ExprKind::Binary(_, a, b) => {
                self.in_index(a, changed);
                self.in_index(b, changed);
            }
            ExprKind::Unary(_, inner) => self.in_index(inner, changed),
            _ => {}
        }
    }

    fn cost(&self, expr: &Expr) -> Cost {
        let ExprKind::Binary(op, a, b) = &expr.kind else {
            return Cost::default();
        };
        let is_known = |expr: &Expr| consteval::eval(self.module, &Env::new(), expr).is_some();
        if is_known(expr) {
            return Cost::default();
        }
        let (a_cost, b_cost) = (self.cost(a), self.cost(b));
        let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem) && !is_known(b);
        let multiplies = *op == BinaryOp::Mul && !is_known(a) && !is_known(b);
        Cost {
            divisions: a_cost.divisions + b_cost.divisions + usize::from(divides),
            products: a_cost.products + b_cost.products + usize::from(multiplies),
        }
    }
}

/// What an expression costs, but for what is cheap: a division by a constant is a multiplication.
#[derive(Clone, Copy, Default)]
struct Cost {
    divisions: usize,
    products: usize,
}

/// The variables that may differ from one round of a loop to the next.
fn changed(whole: Node<'_>, body: &Block) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    if let Node::Stmt(Stmt::For { local, .. }) = whole {
        found.insert(*local);
    }
    walk::nodes(body, &mut |node| {
        match node {
            Node::Stmt(Stmt::Let { local, .. } | Stmt::For { local, .. }) => {
                found.insert(*local);
            }
            Node::Stmt(Stmt::Assign { place, .. }) => found.extend(root(place)),
            Node::Stmt(_) => {}
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Ref(true, inner) => found.extend(root(inner)),
                ExprKind::Method(receiver, name, ..)
                    if Builtin::find(name, CallForm::Method).is_none() =>
                {
                    found.extend(root(receiver));
                }
                _ => {}
            },
        }
        true
    });
    found
}

/// Whether an expression of plain arithmetic gives the same in every round.
fn is_kept(expr: &Expr, changed: &BTreeSet<LocalId>) -> bool {
    let is_kept = |expr: &Expr| is_kept(expr, changed);
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Hex(_) | ExprKind::Param(_) | ExprKind::Const(_) => true,
        ExprKind::Local(local) => !changed.contains(local),
        ExprKind::Unary(_, inner) | ExprKind::Cast(inner) => is_kept(inner),
        ExprKind::Field(inner, _) => {
            matches!(
                inner.kind,
                ExprKind::Local(_) | ExprKind::Param(_) | ExprKind::Named(..)
            ) && is_kept(inner)
        }
        ExprKind::Binary(_, a, b) => is_kept(a) && is_kept(b),
        ExprKind::Named(name, _, args) => {
            Builtin::find(name, CallForm::Function)
                .is_some_and(|builtin| builtin.effect == Effect::Pure)
                && args.iter().all(is_kept)
        }
        _ => false,
    }
}
