//! Statements.

use super::function::FunctionPrinter;
use super::text::Text;
use crate::builtin::Spelling;
use crate::consteval;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::item::LocalId;
use crate::overrides;
use crate::span::Span;
use crate::stmt::{Block, Stmt};
use crate::types::{Scalar, Type};

/// Where the value of a block goes.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    /// Nowhere.
    Discard,
    /// `return value;`
    Return,
    /// `name = value;`
    Assign(&'a str),
}

/// Columns of a line that is not broken.
const MAX_WIDTH: usize = 100;

/// Iterations that `#[unroll]` writes out at the most.
pub(crate) const MAX_UNROLL: i128 = 1024;

impl FunctionPrinter<'_, '_> {
    pub fn body(&mut self, body: &Block, ret: &Type) {
        let target = if *ret == Type::Unit {
            Target::Discard
        } else {
            Target::Return
        };
        self.block(body, target);
        if let (Some(Stmt::Loop { span, .. }), None, Target::Return) =
            (body.stmts.last(), &body.tail, target)
        {
            // naga asks for a value after a loop that is left by `return` alone.
            let value = format!("return {}();", Self::type_name(ret));
            self.line(&Text::new(value).marked(*span));
        }
    }

    /// One line of text.
    pub fn line(&mut self, text: &Text) {
        self.out.push(&"    ".repeat(self.indent));
        if text.len() + 4 * self.indent > MAX_WIDTH {
            self.out.append(&text.wrapped(self.indent, MAX_WIDTH));
        } else {
            self.out.append(text);
        }
        self.out.push("\n");
    }

    pub fn plain(&mut self, text: &str) {
        self.line(&Text::new(text));
    }

    /// The statements of a block, in the scope that is open.
    pub fn block(&mut self, block: &Block, target: Target<'_>) {
        for stmt in &block.stmts {
            self.stmt(stmt);
            if self.leaves(stmt) {
                return;
            }
        }
        if let Some(tail) = &block.tail {
            self.value(tail, target);
        }
    }

    /// Whether `stmt` leaves its block for good, decided branches taken.
    fn leaves(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Return(..) | Stmt::Break(_) | Stmt::Continue(_) => true,
            Stmt::Expr(Expr {
                kind: ExprKind::If(condition, then, otherwise),
                ..
            }) => match (self.eval(condition), otherwise.as_deref()) {
                (Some(0), Some(otherwise)) => match &otherwise.kind {
                    ExprKind::Block(block) => block.stmts.iter().any(|stmt| self.leaves(stmt)),
                    _ => false,
                },
                (Some(0), None) | (None, _) => false,
                (Some(_), _) => then.stmts.iter().any(|stmt| self.leaves(stmt)),
            },
            _ => false,
        }
    }

    /// A block in a scope of its own, between braces that the caller prints.
    fn scoped(&mut self, block: &Block, target: Target<'_>) {
        self.indent += 1;
        self.scopes.push(Vec::new());
        self.block(block, target);
        self.scopes.pop();
        self.indent -= 1;
    }

    /// An expression as a statement, its value sent to `target`.
    pub fn value(&mut self, expr: &Expr, target: Target<'_>) {
        match &expr.kind {
            ExprKind::If(condition, then, otherwise) => {
                self.branch(condition, then, otherwise.as_deref(), target, expr.span);
            }
            ExprKind::Block(block) => {
                self.plain("{");
                self.scoped(block, target);
                self.plain("}");
            }
            ExprKind::Match(value, arms) => self.switch(value, arms, target),
            ExprKind::Builtin(builtin, args) if builtin.wgsl == Spelling::Trace => {
                self.trace(expr, args);
            }
            _ => {
                let value = self.expr(expr);
                let is_unit = matches!(expr.ty, Type::Unit | Type::Never);
                let mut text = Text::new(match target {
                    Target::Discard if is_unit || matches!(expr.kind, ExprKind::Instance(..)) => {
                        String::new()
                    }
                    Target::Discard => "_ = ".into(),
                    Target::Return => "return ".into(),
                    Target::Assign(name) => format!("{name} = "),
                });
                text.append(&value);
                text.push(";");
                self.line(&text.marked(expr.span));
            }
        }
    }

    fn branch(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: Option<&Expr>,
        target: Target<'_>,
        span: Span,
    ) {
        if let Some(value) = self.eval(condition) {
            // A branch on a constant is decided here.
            if value != 0 {
                self.inline(then, target);
            } else if let Some(otherwise) = otherwise {
                match &otherwise.kind {
                    ExprKind::Block(block) => self.inline(block, target),
                    _ => self.value(otherwise, target),
                }
            }
            return;
        }
        let mut head = Text::new("if ");
        head.append(&self.expr(condition));
        head.push(" {");
        self.line(&head.marked(span));
        self.scoped(then, target);
        if let (Target::Return, Some(otherwise)) = (target, otherwise) {
            // The first branch has returned.
            self.plain("}");
            match &otherwise.kind {
                ExprKind::Block(block) => self.inline(block, target),
                _ => self.value(otherwise, target),
            }
            return;
        }
        let mut otherwise = otherwise;
        loop {
            match otherwise.map(|expr| &expr.kind) {
                None => break,
                Some(ExprKind::If(condition, then, next))
                    if !self.needs_statements(condition) && self.eval(condition).is_none() =>
                {
                    let mut head = Text::new("} else if ");
                    head.append(&self.expr(condition));
                    head.push(" {");
                    self.line(&head);
                    self.scoped(then, target);
                    otherwise = next.as_deref();
                }
                Some(ExprKind::Block(block)) => {
                    if !(block.stmts.is_empty() && block.tail.is_none()) {
                        self.plain("} else {");
                        self.scoped(block, target);
                    }
                    break;
                }
                Some(_) => {
                    self.plain("} else {");
                    self.indent += 1;
                    self.scopes.push(Vec::new());
                    if let Some(expr) = otherwise {
                        self.value(expr, target);
                    }
                    self.scopes.pop();
                    self.indent -= 1;
                    break;
                }
            }
        }
        self.plain("}");
    }

    /// A block whose braces are not needed.
    fn inline(&mut self, block: &Block, target: Target<'_>) {
        self.block(block, target);
    }

    fn switch(&mut self, value: &Expr, arms: &[(Vec<Expr>, Expr)], target: Target<'_>) {
        if arms.iter().any(|(_, arm)| arm.breaks()) {
            self.chain(value, arms, target);
            return;
        }
        let mut head = Text::new("switch ");
        head.append(&self.expr(value));
        head.push(" {");
        self.line(&head);
        self.indent += 1;
        for (patterns, arm) in arms {
            let mut head = Text::default();
            if patterns.is_empty() {
                head.push("default: {");
            } else {
                head.push("case ");
                for (index, pattern) in patterns.iter().enumerate() {
                    head.push(if index == 0 { "" } else { ", " });
                    head.append(&self.expr(pattern));
                }
                head.push(": {");
            }
            self.line(&head);
            self.arm(arm, target);
            self.plain("}");
        }
        self.indent -= 1;
        self.plain("}");
    }

    /// A `match` as `if` and `else if`: a `break` in a `switch` would not leave the loop around it.
    fn chain(&mut self, value: &Expr, arms: &[(Vec<Expr>, Expr)], target: Target<'_>) {
        let value = self.stable(value, "value");
        let mut opened = false;
        for (patterns, arm) in arms {
            let mut head = Text::new(if opened { "} else " } else { "" });
            if patterns.is_empty() {
                head.push("{");
            } else {
                head.push("if ");
                for (index, pattern) in patterns.iter().enumerate() {
                    head.push(if index == 0 { "" } else { " || " });
                    head.append(&value);
                    head.push(" == ");
                    head.append(&self.expr(pattern));
                }
                head.push(" {");
            }
            self.line(&head);
            self.arm(arm, target);
            opened = true;
            if patterns.is_empty() {
                break;
            }
        }
        self.plain("}");
    }

    /// The value of an arm, in a scope of its own, between braces that the caller prints.
    fn arm(&mut self, arm: &Expr, target: Target<'_>) {
        self.indent += 1;
        self.scopes.push(Vec::new());
        match &arm.kind {
            ExprKind::Block(block) => self.block(block, target),
            _ if arm.ty == Type::Unit
                && matches!(&arm.kind, ExprKind::Array(elems) if elems.is_empty()) => {}
            _ => self.value(arm, target),
        }
        self.scopes.pop();
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { local, init, span } => self.declaration(*local, init.as_ref(), *span),
            Stmt::Assign {
                place,
                op,
                value,
                span,
            } => {
                // Rust evaluates the value before the place, WGSL after it: what has effects, or is
                // changed by those of the place, is kept first.
                let place_acts = self.has_effects(place) && self.eval(value).is_none();
                let value = if self.has_effects(value) || place_acts {
                    self.spill(value, "value")
                } else if matches!(place.ty, Type::Matrix(..)) {
                    self.of_matrix(value).0
                } else {
                    self.expr(value)
                };
                let mut text = self.expr(place);
                text.push(&op.map_or_else(|| " = ".into(), |op| format!(" {}= ", op.text())));
                text.append(&value);
                text.push(";");
                self.line(&text.marked(*span));
            }
            Stmt::Expr(expr) => self.value(expr, Target::Discard),
            Stmt::For { unroll: true, .. } => self.unrolled(stmt),
            Stmt::For { .. } => self.counted(stmt),
            Stmt::While { condition, body } => {
                self.loops.push(true);
                if self.needs_statements(condition) {
                    self.plain("loop {");
                    self.indent += 1;
                    let condition = self.operand(condition);
                    let mut text = Text::new("if !");
                    text.append(&condition);
                    text.push(" { break; }");
                    self.line(&text);
                    self.indent -= 1;
                } else {
                    let mut head = Text::new("while ");
                    head.append(&self.expr(condition));
                    head.push(" {");
                    self.line(&head.marked(condition.span));
                }
                self.scoped(body, Target::Discard);
                self.plain("}");
                self.loops.pop();
            }
            Stmt::Loop { body, span } => {
                self.loops.push(true);
                self.line(&Text::new("loop {").marked(*span));
                self.scoped(body, Target::Discard);
                self.plain("}");
                self.loops.pop();
            }
            Stmt::Break(span) | Stmt::Continue(span) => {
                if self.loops.last() == Some(&false) {
                    let diagnostic = Diagnostic::new(
                        *span,
                        "an unrolled loop cannot be left or continued early",
                    );
                    self.diagnostics.push(
                        diagnostic
                            .help("remove `#[unroll]`, or put the rest of the body under an `if`"),
                    );
                }
                let word = if matches!(stmt, Stmt::Break(_)) {
                    "break;"
                } else {
                    "continue;"
                };
                self.line(&Text::new(word).marked(*span));
            }
            Stmt::Return(value, span) => match value {
                Some(value) => self.value(value, Target::Return),
                None => self.line(&Text::new("return;").marked(*span)),
            },
        }
    }

    fn declaration(&mut self, local: LocalId, init: Option<&Expr>, span: Span) {
        let Some(variable) = self.function.locals.get(local.0) else {
            return;
        };
        let ty = variable.ty.clone();
        let Some(init) = init else {
            let name = self.declare(local);
            self.line(&Text::new(format!("var {name}: {};", Self::type_name(&ty))).marked(span));
            return;
        };
        if self.is_branching(init) && self.as_select(init).is_none() {
            // The name must not shadow what the branches still refer to.
            let name = self.declare(local);
            self.line(&Text::new(format!("var {name}: {};", Self::type_name(&ty))).marked(span));
            self.value(init, Target::Assign(&name));
            return;
        }
        let value = self.expr(init);
        let name = self.declare(local);
        let keyword = if variable.mutable { "var" } else { "let" };
        let mut text = Text::new(format!("{keyword} {name} = "));
        text.append(&value);
        text.push(";");
        self.line(&text.marked(span));
    }

    fn counted(&mut self, stmt: &Stmt) {
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

    fn is_signed(&self, local: LocalId) -> bool {
        self.function
            .locals
            .get(local.0)
            .is_some_and(|local| local.ty == Type::I32)
    }

    /// Whether `end` may be the last value of the variable's type, which no `i <= end` leaves.
    fn may_be_last(&self, local: LocalId, end: &Expr) -> bool {
        let last = if self.is_signed(local) {
            i128::from(i32::MAX)
        } else {
            i128::from(u32::MAX)
        };
        self.eval(end).is_none_or(|end| end >= last)
    }

    /// `for local in start..=end` where `end` may be the last value of its type.
    fn counted_to_the_last(
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

    fn unrolled(&mut self, stmt: &Stmt) {
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

    /// `expr` as text that gives the same value however often it is evaluated.
    fn stable(&mut self, expr: &Expr, name: &str) -> Text {
        if self.is_stable(expr) {
            return self.expr(expr);
        }
        self.spill(expr, name)
    }

    /// `expr` kept in a variable of its own.
    pub fn spill(&mut self, expr: &Expr, name: &str) -> Text {
        let value = self.expr(expr);
        let name = self.fresh(name);
        let mut text = Text::new(format!("let {name} = "));
        text.append(&value);
        text.push(";");
        self.line(&text.marked(expr.span));
        Text::new(name)
    }

    /// `value` kept in a variable of its own.
    pub fn keep(&mut self, value: &Text, name: &str) -> Text {
        let name = self.fresh(name);
        let mut text = Text::new(format!("let {name} = "));
        text.append(value);
        text.push(";");
        self.line(&text);
        Text::new(name)
    }

    fn is_stable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Hex(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Literal(_)
            | ExprKind::Param(_)
            | ExprKind::Const(_) => true,
            ExprKind::Local(local) => self
                .function
                .locals
                .get(local.0)
                .is_some_and(|local| !local.mutable),
            ExprKind::Cast(inner) | ExprKind::Unary(_, inner) | ExprKind::Field(inner, _) => {
                self.is_stable(inner)
            }
            ExprKind::Binary(_, a, b) => self.is_stable(a) && self.is_stable(b),
            ExprKind::Builtin(builtin, args) => {
                matches!(builtin.wgsl, Spelling::Input(_))
                    || args.iter().all(|arg| self.is_stable(arg))
                        && builtin.effect == crate::builtin::Effect::Pure
            }
            _ => false,
        }
    }

    /// The value of a constant expression.
    pub fn eval(&self, expr: &Expr) -> Option<i128> {
        if matches!(expr.ty, Type::Scalar(Scalar::F32 | Scalar::F16)) {
            return None;
        }
        consteval::eval(self.context.module, &self.env, expr)
    }
}
