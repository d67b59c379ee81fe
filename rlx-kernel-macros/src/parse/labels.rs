//! Labels of loops. WGSL has none: leaving an outer loop sets a flag and leaves the inner one, and
//! each loop between tests the flag after it.

use rlx_kernel_ir::{Block, Expr, ExprKind, LocalId, Span, Stmt, Type};

use super::body::BodyParser;

/// A loop around the statement at hand.
#[derive(Default)]
pub struct Round {
    /// Its label, without the tick.
    label: Option<String>,
    /// Set where the loop is left from within an inner one.
    left: Option<LocalId>,
    /// Set where its next round begins from within an inner one.
    next: Option<LocalId>,
    /// What its parent tests after it: a flag, and what to do where it is set.
    after: Vec<(LocalId, Stmt)>,
}

impl BodyParser<'_> {
    /// Enters a loop.
    pub fn enter(&mut self, label: Option<&syn::Label>) {
        self.rounds.push(Round {
            label: label.map(|label| label.name.ident.to_string()),
            ..Round::default()
        });
    }

    /// Leaves a loop: gives `body` its flags, and the statements that follow the loop.
    pub fn leave(&mut self, body: &mut Block) -> Vec<Stmt> {
        let Some(round) = self.rounds.pop() else {
            return Vec::new();
        };
        let flags = [round.left, round.next].into_iter().flatten();
        for local in flags {
            let no = Expr::typed(ExprKind::Bool(false), Span::NONE, Type::BOOL);
            let declaration = Stmt::Let {
                local,
                init: Some(no),
                span: Span::NONE,
            };
            body.stmts.insert(0, declaration);
        }
        let tests = round.after.into_iter().map(|(flag, stmt)| {
            let condition = Expr::new(ExprKind::Local(flag), Span::NONE);
            let then = Block {
                stmts: vec![stmt],
                tail: None,
            };
            let test = ExprKind::If(Box::new(condition), then, None);
            Stmt::Expr(Expr::new(test, Span::NONE))
        });
        tests.collect()
    }

    /// `break` or `continue`, as `plain` says, of the loop that `label` names.
    pub fn jump(&mut self, label: Option<&syn::Lifetime>, plain: Stmt, out: &mut Block) {
        let Some(label) = label else {
            out.stmts.push(plain);
            return;
        };
        let name = label.ident.to_string();
        let named = |round: &Round| round.label.as_deref() == Some(name.as_str());
        let Some(target) = self.rounds.iter().rposition(named) else {
            let message = format!("no loop around this is labelled `{label}`");
            self.sink.error(label, message);
            out.stmts.push(plain);
            return;
        };
        if target + 1 == self.rounds.len() {
            out.stmts.push(plain);
            return;
        }
        let is_break = matches!(plain, Stmt::Break(_));
        let (Stmt::Break(span) | Stmt::Continue(span)) = plain else {
            return;
        };
        let flag = self.flag(target, &name, label.apostrophe, is_break);
        for index in target + 1..self.rounds.len() {
            let stmt = if index == target + 1 && !is_break {
                Stmt::Continue(span)
            } else {
                Stmt::Break(span)
            };
            let after = &mut self.rounds[index].after;
            if !after.iter().any(|(known, _)| *known == flag) {
                after.push((flag, stmt));
            }
        }
        out.stmts.push(Stmt::Assign {
            place: Expr::new(ExprKind::Local(flag), span),
            op: None,
            value: Expr::typed(ExprKind::Bool(true), span, Type::BOOL),
            span,
        });
        out.stmts.push(Stmt::Break(span));
    }

    /// The flag of the loop `target` for breaks or continues.
    fn flag(
        &mut self,
        target: usize,
        label: &str,
        place: proc_macro2::Span,
        is_break: bool,
    ) -> LocalId {
        let round = &self.rounds[target];
        let known = if is_break { round.left } else { round.next };
        if let Some(known) = known {
            return known;
        }
        let name = format!("{label}_{}", if is_break { "left" } else { "next" });
        let flag = self.hidden(&syn::Ident::new("flag", place), name);
        let round = &mut self.rounds[target];
        *(if is_break {
            &mut round.left
        } else {
            &mut round.next
        }) = Some(flag);
        flag
    }
}
