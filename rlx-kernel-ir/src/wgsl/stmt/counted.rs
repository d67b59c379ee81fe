//! Loops over ranges.

use super::Target;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::item::LocalId;
use crate::overrides;
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::Type;
use crate::wgsl::function::FunctionPrinter;
use crate::wgsl::text::Text;

/// Iterations that `#[unroll]` writes out at the most.
pub(crate) const MAX_UNROLL: i128 = 1024;

impl FunctionPrinter<'_, '_> {
    pub(super) fn counted(&mut self, stmt: &Stmt) {
        let Stmt::For {
            local,
            start,
            end,
            inclusive,
            step,
            body,
            span,
            ..
        } = stmt
        else {
            return;
        };
        let start = self.expr(start);
        let may_be_last = *inclusive && self.may_be_last(*local, end);
        // The value after the last one of the type, which no constant expression gives.
        let beyond = self.eval(end).map(|_| {
            if self.is_signed(*local) {
                "i32(-2147483648)"
            } else {
                "0u"
            }
        });
        // Rust evaluates the bound once.
        let end = self.stable(end, "end");
        let step = step.as_ref().map(|step| self.stable(step, "step"));
        self.scopes.push(Vec::new());
        if may_be_last {
            let bounds = (&start, &end, beyond);
            self.counted_to_the_last(*local, bounds, step.as_ref(), body, *span);
            self.scopes.pop();
            return;
        }
        let name = self.declare(*local);
        let mut head = Text::new(format!("for (var {name} = "));
        head.append(&start);
        head.push(&format!(
            "; {name} {} ",
            if *inclusive { "<=" } else { "<" }
        ));
        head.append(&end);
        match &step {
            None => head.push(&format!("; {name}++) {{")),
            Some(step) => {
                head.push(&format!("; {name} += "));
                head.append(step);
                head.push(") {");
            }
        }
        self.line(&head.marked(*span));
        self.loops.push(true);
        self.scoped(body, Target::Discard);
        self.loops.pop();
        self.scopes.pop();
        self.plain("}");
    }

    pub(super) fn is_signed(&self, local: LocalId) -> bool {
        self.function
            .locals
            .get(local.0)
            .is_some_and(|local| local.ty == Type::I32)
    }

    /// Whether `end` may be the last value of the variable's type, which no `i <= end` leaves.
    pub(super) fn may_be_last(&self, local: LocalId, end: &Expr) -> bool {
        let last = if self.is_signed(local) {
            i128::from(i32::MAX)
        } else {
            i128::from(u32::MAX)
        };
        self.eval(end).is_none_or(|end| end >= last)
    }

    /// `for local in start..=end` where `end` may be the last value of its type.
    pub(super) fn counted_to_the_last(
        &mut self,
        local: LocalId,
        (start, end, beyond): (&Text, &Text, Option<&str>),
        step: Option<&Text>,
        body: &Block,
        span: Span,
    ) {
        let name = self.declare(local);
        let joined = |parts: &[&Text]| {
            let mut text = Text::default();
            for part in parts {
                text.append(part);
            }
            text
        };
        self.plain("{");
        self.indent += 1;
        let first = joined(&[&Text::new(format!("var {name} = ")), start, &Text::new(";")]);
        self.line(&first.marked(span));
        self.plain("loop {");
        let past = joined(&[
            &Text::new(format!("    if {name} > ")),
            end,
            &Text::new(" { break; }"),
        ]);
        self.line(&past);
        self.loops.push(true);
        self.scoped(body, Target::Discard);
        self.loops.pop();
        self.plain("    continuing {");
        // Integers wrap: past the last value of the type lies the first.
        let next = step.map_or_else(
            || Text::new(format!("        {name}++;")),
            |step| {
                joined(&[
                    &Text::new(format!("        {name} += ")),
                    step,
                    &Text::new(";"),
                ])
            },
        );
        let leave = match (step, beyond) {
            (None, Some(beyond)) => Text::new(format!("        break if {name} == {beyond};")),
            (None, None) => {
                let one = if self.is_signed(local) { "1" } else { "1u" };
                let text = Text::new(format!("        break if {name} == "));
                joined(&[&text, end, &Text::new(format!(" + {one};"))])
            }
            (Some(step), _) => {
                let wrapped = Text::new(format!("        break if {name} < {name} - "));
                joined(&[
                    &wrapped,
                    step,
                    &Text::new(format!(" || {name} > ")),
                    end,
                    &Text::new(";"),
                ])
            }
        };
        self.line(&next);
        self.line(&leave);
        self.plain("    }");
        self.plain("}");
        self.indent -= 1;
        self.plain("}");
    }

    pub(super) fn unrolled(&mut self, stmt: &Stmt) {
        let Stmt::For {
            local,
            start,
            end,
            inclusive,
            step,
            body,
            span,
            ..
        } = stmt
        else {
            return;
        };
        let bounds = (
            self.eval(start),
            self.eval(end),
            step.as_ref().map_or(Some(1), |step| self.eval(step)),
        );
        let (Some(from), Some(to), Some(step)) = bounds else {
            let at = if self.eval(start).is_none() {
                start.span
            } else {
                end.span
            };
            let bounds = [Some(start), Some(end), step.as_ref()];
            let named = bounds.into_iter().flatten().find_map(|bound| {
                let item = overrides::named_in(self.context.module, bound)?;
                Some(overrides::refused(
                    item,
                    bound.span,
                    "a bound of `#[unroll]`",
                ))
            });
            if let Some(diagnostic) = named {
                self.diagnostics.push(diagnostic);
                return;
            }
            let diagnostic = Diagnostic::new(at, "`#[unroll]` needs bounds that are constants");
            self.diagnostics.push(diagnostic.help(
                "use literals, `#[device]` consts or consts of a format, or remove `#[unroll]`",
            ));
            return;
        };
        let to = if *inclusive { to + 1 } else { to };
        if step < 1 || (to - from) / step > MAX_UNROLL {
            let message = format!(
                "`#[unroll]` would write this loop out {} times",
                (to - from) / step.max(1)
            );
            self.diagnostics
                .push(Diagnostic::new(*span, message).help("remove `#[unroll]`"));
            return;
        }
        let declares = body
            .stmts
            .iter()
            .any(|stmt| matches!(stmt, Stmt::Let { .. }));
        self.loops.push(false);
        let mut value = from;
        while value < to {
            self.env.insert(*local, value);
            if declares {
                self.plain("{");
                self.scoped(body, Target::Discard);
                self.plain("}");
            } else {
                self.block(body, Target::Discard);
            }
            value += step;
        }
        self.env.remove(*local);
        self.loops.pop();
    }
}
