//! Expressions, with no more parentheses than WGSL needs.

mod builtin;
mod form;
mod number;

pub(super) use number::int;
use number::{float, hex, suffix};

use super::function::FunctionPrinter;
use super::load;
use super::stmt::Target;
use super::text::{Marks, Text};
use crate::builtin::Spelling;
use crate::consteval;
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::item::Item;
use crate::matrix::MatrixOp;
use crate::types::{Scalar, Type};

/// What an expression is to the parser of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A name, a literal, a call, an index.
    Atom,
    /// `-x`
    Unary,
    /// `a op b`
    Binary(BinaryOp),
}

impl FunctionPrinter<'_, '_> {
    /// An expression at the top of a statement or argument.
    pub fn expr(&mut self, expr: &Expr) -> Text {
        self.shaped(expr).0
    }

    /// An expression as an operand that binds tighter than any operator.
    pub fn operand(&mut self, expr: &Expr) -> Text {
        let (text, shape) = self.shaped(expr);
        if shape == Shape::Atom {
            text
        } else {
            parenthesised(&text)
        }
    }

    pub(super) fn shaped(&mut self, expr: &Expr) -> (Text, Shape) {
        let (text, shape) = self.unmarked(expr);
        match self.context.marks {
            Marks::Statements => (text, shape),
            Marks::Expressions => (text.marked(expr.span), shape),
        }
    }

    fn unmarked(&mut self, expr: &Expr) -> (Text, Shape) {
        let fault = consteval::fault(self.context.module, &self.env, expr);
        self.diagnostics.extend(fault);
        if !matches!(expr.kind, ExprKind::Const(_))
            && let Some(value) = self.folded(expr)
        {
            let shape = if value.starts_with('-') {
                Shape::Unary
            } else {
                Shape::Atom
            };
            return (Text::new(value), shape);
        }
        match &expr.kind {
            ExprKind::Int(value) => (Text::new(int(i128::from(*value), &expr.ty)), Shape::Atom),
            ExprKind::Hex(value) => (Text::new(hex(*value, suffix(&expr.ty))), Shape::Atom),
            ExprKind::Float(text) => (Text::new(float(text)), Shape::Atom),
            ExprKind::Bool(value) => (Text::new(value.to_string()), Shape::Atom),
            ExprKind::Literal(text) => (Text::new(*text), Shape::Atom),
            ExprKind::Local(local) => {
                let name = self.locals.get(local.0).cloned().unwrap_or_default();
                match &expr.ty {
                    Type::Slice {
                        source: Some(source),
                        ..
                    } => (Text::new(self.context.source(*source)), Shape::Atom),
                    _ => (Text::new(name), Shape::Atom),
                }
            }
            ExprKind::Binding(index) => (Text::new(&self.context.bindings[*index]), Shape::Atom),
            ExprKind::Workgroup(index) => (Text::new(&self.context.workgroup[*index]), Shape::Atom),
            ExprKind::Table(index) => {
                self.printed.tables.insert(*index);
                (Text::new(&self.context.tables[*index]), Shape::Atom)
            }
            ExprKind::Param(_) => self
                .param_part(expr)
                .unwrap_or((Text::default(), Shape::Atom)),
            ExprKind::Const(id) => {
                self.printed.consts.insert(*id);
                (
                    Text::new(self.context.consts.get(id).cloned().unwrap_or_default()),
                    Shape::Atom,
                )
            }
            ExprKind::Unary(op, inner) => {
                let sign = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not if inner.ty.scalar() == Some(Scalar::Bool) => "!",
                    UnaryOp::Not => "~",
                };
                let (text, shape) = self.shaped(inner);
                let mut out = Text::new(sign);
                // `--x` would be a decrement.
                out.append(&if shape == Shape::Atom {
                    text
                } else {
                    parenthesised(&text)
                });
                (out, Shape::Unary)
            }
            ExprKind::Binary(op, a, b) if matches!(expr.ty, Type::Matrix(..)) => {
                self.matrix_operator(*op, a, b)
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Cast(inner) if inner.ty == expr.ty => self.shaped(inner),
            // A constant of a format or a generic parameter.
            ExprKind::Cast(inner)
                if expr.ty == Type::F32 && self.eval(inner).is_some_and(is_exact) =>
            {
                let value = self.eval(inner).unwrap_or_default();
                let shape = if value < 0 { Shape::Unary } else { Shape::Atom };
                (Text::new(format!("{value}.0")), shape)
            }
            // naga 30 widens by the sign of the wider type; Rust by that of the narrower.
            ExprKind::Cast(inner) if inner.ty == Type::I32 && expr.ty == Type::U64 => {
                let wide = call("i64", &[self.expr(inner)]);
                (call("u64", &[wide]), Shape::Atom)
            }
            ExprKind::Cast(inner) if inner.ty == Type::U32 && expr.ty == Type::I64 => {
                let wide = call("u64", &[self.expr(inner)]);
                (call("i64", &[wide]), Shape::Atom)
            }
            ExprKind::Cast(inner) => {
                let mut out = Text::new(format!("{}(", Self::type_name(&expr.ty)));
                out.append(&self.expr(inner));
                out.push(")");
                (out, Shape::Atom)
            }
            ExprKind::Index(base, index) => {
                if let Some(element) = self.param_part(expr) {
                    return element;
                }
                if let Some(at) = self.eval(index) {
                    let mut out = self.operand(base);
                    let component = usize::try_from(at)
                        .ok()
                        .and_then(|at| ["x", "y", "z", "w"].get(at));
                    match (&base.ty, component) {
                        (Type::Vector(..), Some(component)) => out.push(&format!(".{component}")),
                        _ => out.push(&format!("[{at}]")),
                    }
                    return (out, Shape::Atom);
                }
                let [base, index] = self.ordered([base, index]);
                let mut out = base;
                out.push("[");
                out.append(&index);
                out.push("]");
                (out, Shape::Atom)
            }
            ExprKind::Field(base, name) => {
                if let Some(field) = self.param_part(expr) {
                    return field;
                }
                let mut out = self.operand(base);
                out.push(".");
                out.push(&super::name::spell(name));
                (out, Shape::Atom)
            }
            ExprKind::Array(elems) => {
                let args = self.arguments(elems);
                (call(&Self::type_name(&expr.ty), &args), Shape::Atom)
            }
            ExprKind::Struct(id, fields) => {
                // In the struct's order; the author's order matters to no pure value.
                let order = self
                    .context
                    .module
                    .structure(*id)
                    .map_or(&[][..], |structure| &structure.fields);
                let mut values = Vec::with_capacity(fields.len());
                for (name, _) in order {
                    if let Some((_, value)) = fields.iter().find(|(field, _)| field == name) {
                        values.push(value.clone());
                    }
                }
                let args = self.arguments(&values);
                (call(&Self::type_name(&expr.ty), &args), Shape::Atom)
            }
            ExprKind::Repeat(value, len) => {
                let args = if is_zero(value) {
                    Vec::new()
                } else {
                    let value = if Self::is_simple(value) {
                        self.expr(value)
                    } else {
                        self.spill(value, "value")
                    };
                    vec![value; *len as usize]
                };
                (call(&Self::type_name(&expr.ty), &args), Shape::Atom)
            }
            ExprKind::Ref(_, inner) => {
                let mut out = Text::new("&");
                out.append(&self.operand(inner));
                (out, Shape::Unary)
            }
            ExprKind::Deref(inner) => {
                let mut out = Text::new("*");
                out.append(&self.operand(inner));
                (parenthesised(&out), Shape::Atom)
            }
            ExprKind::Instance(index, args) => {
                self.printed.calls.insert(*index);
                let mut args = self.arguments(args);
                let context = self.context;
                let inputs = match context.printed(*index) {
                    Ok(printed) => &printed.inputs,
                    Err(found) => {
                        self.diagnostics.extend(found);
                        return (Text::default(), Shape::Atom);
                    }
                };
                for input in inputs {
                    self.printed.inputs.insert(*input);
                    args.push(Text::new(input.name()));
                }
                (call(&self.context.instances[*index], &args), Shape::Atom)
            }
            ExprKind::Printed(id, args) => {
                self.printed.texts.insert(*id);
                let args = self.arguments(args);
                let name = match &self.context.module.items[id.0] {
                    Item::Printed(printed) => printed.name.as_str(),
                    _ => "",
                };
                (call(name, &args), Shape::Atom)
            }
            ExprKind::Builtin(builtin, args) => self.builtin(builtin, args, &expr.ty),
            ExprKind::Load {
                source,
                kind,
                align,
                address,
            } => {
                let address = self.expr(address);
                let operand = if address.as_str().contains(' ') {
                    parenthesised(&address)
                } else {
                    address.clone()
                };
                let variable = self.context.source(*source).to_string();
                let text = load::load(
                    &mut self.printed.loads,
                    &variable,
                    *kind,
                    *align,
                    address.as_str(),
                    operand.as_str(),
                );
                (Text::new(text), Shape::Atom)
            }
            ExprKind::Length(source) => (
                Text::new(format!("arrayLength(&{})", self.context.source(*source))),
                Shape::Atom,
            ),
            ExprKind::If(..) | ExprKind::Block(_) | ExprKind::Match(..) => self.branching(expr),
            ExprKind::Call(..)
            | ExprKind::CallOf(..)
            | ExprKind::Named(..)
            | ExprKind::Method(..) => (Text::default(), Shape::Atom),
        }
    }

    /// The literal of a constant expression that is worth folding: one that an unrolled variable or
    /// a format's const went into, or an `if` decided at compile time.
    fn folded(&self, expr: &Expr) -> Option<String> {
        let worth = matches!(
            expr.kind,
            ExprKind::Local(_) | ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(_)
        );
        if !worth {
            return None;
        }
        let value = self.eval(expr)?;
        match &expr.ty {
            Type::Scalar(Scalar::Bool) => Some((value != 0).to_string()),
            Type::Scalar(_) => Some(int(value, &expr.ty)),
            _ => None,
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> (Text, Shape) {
        if op.is_logical() && self.needs_statements(b) {
            // Short circuit: the right side runs only where it must.
            let first = self.expr(a);
            let name = self.fresh(if op == BinaryOp::And {
                "both"
            } else {
                "either"
            });
            let mut text = Text::new(format!("var {name} = "));
            text.append(&first);
            text.push(";");
            self.line(&text);
            self.plain(&format!(
                "if {}{name} {{",
                if op == BinaryOp::And { "" } else { "!" }
            ));
            self.indent += 1;
            self.value(b, Target::Assign(&name));
            self.indent -= 1;
            self.plain("}");
            return (Text::new(name), Shape::Atom);
        }
        if self.needs_statements(b) && !Self::is_simple(a) {
            let left = self.spill(a, "left");
            let (right, shape) = self.shaped(b);
            return (
                Self::joined(op, (left, Shape::Atom), (right, shape), b),
                Shape::Binary(op),
            );
        }
        // x + 0 and x * 1 come of unrolled loops.
        if let Some(kept) = self.neutral(op, a, b) {
            return self.shaped(kept);
        }
        let left = self.shaped(a);
        let right = self.shaped(b);
        (Self::joined(op, left, right, b), Shape::Binary(op))
    }

    fn neutral<'e>(&self, op: BinaryOp, a: &'e Expr, b: &'e Expr) -> Option<&'e Expr> {
        let (left, right) = (self.eval(a), self.eval(b));
        match (op, left, right) {
            (
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Shr | BinaryOp::Shl | BinaryOp::Or,
                None,
                Some(0),
            )
            | (BinaryOp::Mul | BinaryOp::Div | BinaryOp::And, None, Some(1)) => Some(a),
            (BinaryOp::Add | BinaryOp::Or, Some(0), None)
            | (BinaryOp::Mul | BinaryOp::And, Some(1), None) => Some(b),
            _ => None,
        }
    }

    pub(super) fn joined(
        op: BinaryOp,
        left: (Text, Shape),
        right: (Text, Shape),
        b: &Expr,
    ) -> Text {
        let wrap = |(text, shape): (Text, Shape), is_left: bool| {
            let bare = match shape {
                Shape::Atom | Shape::Unary => true,
                Shape::Binary(inner) => nests(op, inner, is_left),
            };
            if bare { text } else { parenthesised(&text) }
        };
        let mut out = wrap(left, true);
        out.push(&format!(" {} ", op.text()));
        let mut right = wrap(right, false);
        if op.is_shift() && matches!(b.ty, Type::Scalar(scalar) if scalar != Scalar::U32) {
            // WGSL shifts by u32 only.
            right = call("u32", &[right]);
        }
        out.append(&right);
        out
    }
}

/// Whether `inner` may stand bare as an operand of `outer`.
fn nests(outer: BinaryOp, inner: BinaryOp, is_left: bool) -> bool {
    use BinaryOp::{Add, And, BitAnd, BitOr, BitXor, Div, Mul, Or, Rem, Sub};
    let additive = |op| matches!(op, Add | Sub);
    let multiplicative = |op| matches!(op, Mul | Div | Rem);
    match outer {
        Add | Sub => multiplicative(inner) || additive(inner) && is_left,
        // WGSL lets `a % b * c` stand bare; readers want the parentheses.
        Mul => inner == Mul && is_left,
        Div | Rem => false,
        _ if outer.is_comparison() => additive(inner) || multiplicative(inner),
        BitAnd | BitOr | BitXor => inner == outer && is_left,
        And | Or => {
            inner.is_comparison()
                || inner == outer && is_left
                || additive(inner)
                || multiplicative(inner)
        }
        _ => false,
    }
}

pub(super) fn parenthesised(text: &Text) -> Text {
    let mut out = Text::new("(");
    out.append(text);
    out.push(")");
    out
}

fn wrapped(text: Text) -> Text {
    if text.as_str().contains(' ') {
        parenthesised(&text)
    } else {
        text
    }
}

pub(super) fn call(name: &str, args: &[Text]) -> Text {
    let mut out = Text::new(format!("{name}("));
    for (index, arg) in args.iter().enumerate() {
        out.push(if index == 0 { "" } else { ", " });
        out.append(arg);
    }
    out.push(")");
    out
}

/// Whether an f32 holds `value` exactly.
fn is_exact(value: i128) -> bool {
    value.abs() <= 1 << 24
}

fn is_zero(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(0) => true,
        ExprKind::Float(text) => text.parse::<f32>().is_ok_and(|value| value.to_bits() == 0),
        ExprKind::Builtin(builtin, args) if matches!(builtin.wgsl, Spelling::Constructor) => {
            args.iter().all(is_zero)
        }
        ExprKind::Builtin(builtin, _) => builtin.wgsl == Spelling::Matrix(MatrixOp::Zero),
        ExprKind::Repeat(value, _) => is_zero(value),
        _ => false,
    }
}
