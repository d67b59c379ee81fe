//! `f16_accumulation`

use std::collections::BTreeSet;

use super::{Form, Subject};
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::item::{Function, LocalId};
use crate::stmt::{Block, Stmt};
use crate::types::{Scalar, Type};
use crate::walk::{self, Node, root};

/// Sums in `f16` over the rounds of a loop.
pub(super) fn check(subject: &Subject<'_>) -> Vec<(Form, Diagnostic)> {
    let instances = subject.typed.instances.iter();
    let helpers = instances.map(|instance| &instance.function);
    let mut found: Vec<(Form, Diagnostic)> = Vec::new();
    for function in subject.typed.kernel.iter().chain(helpers) {
        walk::nodes(&function.body, &mut |node| {
            if let Node::Stmt(
                Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Loop { body, .. },
            ) = node
            {
                in_loop(function, body, &mut found);
            }
            true
        });
    }
    found
}

fn in_loop(function: &Function, body: &Block, found: &mut Vec<(Form, Diagnostic)>) {
    let mut begun: BTreeSet<LocalId> = BTreeSet::new();
    walk::nodes(body, &mut |node| {
        match node {
            Node::Stmt(Stmt::Let { local, .. }) => {
                begun.insert(*local);
            }
            Node::Stmt(Stmt::Assign {
                place,
                op,
                value,
                span,
            }) if place.ty.scalar() == Some(Scalar::F16) && adds(place, *op, value) => {
                let local = root(place).filter(|local| !begun.contains(local));
                let known = |(_, other): &(Form, Diagnostic)| other.span == *span;
                if let Some(local) = local.and_then(|local| function.locals.get(local.0))
                    && !matches!(local.ty, Type::Slice { .. })
                    && !found.iter().any(known)
                {
                    let name = &local.name;
                    let message = format!(
                        "`{name}` adds up in `f16` over a loop: an `f16` has 11 bits, so from 2048 on a sum does not change by 1 any more"
                    );
                    let help = format!(
                        "let `{name}` be an `f32`, add `x.to_f32()`, and convert the sum with `f16::from_f32`"
                    );
                    found.push((Form::Own, Diagnostic::new(*span, message).help(help)));
                }
            }
            _ => {}
        }
        true
    });
}

/// Whether an assignment adds to what is there.
fn adds(place: &Expr, op: Option<BinaryOp>, value: &Expr) -> bool {
    let is_place = |expr: &Expr| matches!((&expr.kind, &place.kind), (ExprKind::Local(a), ExprKind::Local(b)) if a == b);
    match (op, &value.kind) {
        (Some(op), _) => matches!(op, BinaryOp::Add | BinaryOp::Sub),
        (None, ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b)) => is_place(a) || is_place(b),
        // `a.mul_add(b, sum)`
        (None, ExprKind::Builtin(builtin, args)) => {
            builtin.name == "mul_add" && args.last().is_some_and(is_place)
        }
        _ => false,
    }
}
