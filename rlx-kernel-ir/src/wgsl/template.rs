//! Builtins that WGSL has no function for: an expression of the arguments, or a product.

use super::expr::{Shape, call, int, parenthesised};
use super::function::FunctionPrinter;
use super::text::Text;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::types::{Scalar, Type};

/// The largest exponent that is multiplied out.
const MAX_EXPONENT: u32 = 64;

impl FunctionPrinter<'_, '_> {
    /// `template` with `{0}` to `{3}` the arguments, `{T}` the type of the first and `{T:1}` a number
    /// of that type. `cast` says that the result is converted to `ty`.
    pub fn template(
        &mut self,
        template: &str,
        args: &[Expr],
        (ty, cast): (&Type, bool),
    ) -> (Text, Shape) {
        let mut texts = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            let is_before_statements = args[index + 1..]
                .iter()
                .any(|later| self.needs_statements(later));
            let kept = (is_repeated(template, index) || is_before_statements) && !is_short(arg);
            texts.push(if kept {
                (self.spill(arg, "value"), Shape::Atom)
            } else {
                self.shaped(arg)
            });
        }
        let first = args.first().map_or(ty, |arg| &arg.ty);
        let mut out = Text::default();
        let mut rest = template;
        while let Some((before, tail)) = rest.split_once('{') {
            out.push(before);
            let (hole, tail) = tail.split_once('}').unwrap_or((tail, ""));
            match hole
                .parse::<usize>()
                .ok()
                .and_then(|index| texts.get(index))
            {
                Some((text, shape)) => {
                    let alone = (before.ends_with('(') || before.ends_with(", "))
                        && tail.starts_with([')', ',']);
                    out.append(&if alone || *shape == Shape::Atom {
                        text.clone()
                    } else {
                        parenthesised(text)
                    });
                }
                None => match hole.strip_prefix("T:") {
                    Some(number) => out.push(&number_of(number, first)),
                    None => out.push(&Self::type_name(first)),
                },
            }
            rest = tail;
        }
        out.push(rest);
        if cast && first != ty {
            return (call(&Self::type_name(ty), &[out]), Shape::Atom);
        }
        let shape = if is_open(template) {
            // An operator that no other takes bare.
            Shape::Binary(BinaryOp::Shl)
        } else {
            Shape::Atom
        };
        (out, shape)
    }

    /// `args[0]` with its bits moved round by `args[1]`.
    pub fn rotation(&mut self, args: &[Expr], left: bool) -> (Text, Shape) {
        let [value, by] = args else {
            return (Text::default(), Shape::Atom);
        };
        let there = if left { "<<" } else { ">>" };
        let back = if left { ">>" } else { "<<" };
        let template = match self.eval(by).map(|by| by.rem_euclid(32)) {
            Some(0) => return self.shaped(value),
            Some(by) => format!("({{0}} {there} {by}u) | ({{0}} {back} {}u)", 32 - by),
            None => format!(
                "({{0}} {there} ({{1}} & 31u)) | ({{0}} {back} ((32u - ({{1}} & 31u)) & 31u))"
            ),
        };
        self.template(&template, args, (&Type::U32, false))
    }

    /// `args[0]` to the power of `args[1]`, a constant.
    pub fn power(&mut self, args: &[Expr], ty: &Type) -> (Text, Shape) {
        let [base, exponent] = args else {
            return (Text::default(), Shape::Atom);
        };
        let Some(value) = self.eval(exponent) else {
            let diagnostic = Diagnostic::new(exponent.span, "this exponent is a constant on a GPU");
            let help = "write a loop of products, or `powf`, which is less exact";
            self.diagnostics.push(diagnostic.help(help));
            return (Text::default(), Shape::Atom);
        };
        let magnitude = u32::try_from(value.unsigned_abs()).unwrap_or(u32::MAX);
        if magnitude > MAX_EXPONENT {
            let message =
                format!("a power of {value} takes too many products: {MAX_EXPONENT} is the most");
            self.diagnostics
                .push(Diagnostic::new(exponent.span, message).help("write `powf`"));
            return (Text::default(), Shape::Atom);
        }
        if value == 0 {
            return (Text::new(number_of("1", ty)), Shape::Atom);
        }
        let text = if is_short(base) {
            self.operand(base)
        } else {
            self.spill(base, "value")
        };
        let product = self.product(&text, magnitude);
        if value < 0 {
            let mut out = Text::new(format!("{} / ", number_of("1", ty)));
            out.append(&if magnitude == 1 {
                product
            } else {
                parenthesised(&product)
            });
            return (out, Shape::Binary(BinaryOp::Div));
        }
        let shape = if magnitude == 1 {
            Shape::Atom
        } else {
            Shape::Binary(BinaryOp::Mul)
        };
        (product, shape)
    }

    fn product(&mut self, base: &Text, exponent: u32) -> Text {
        let half = exponent / 2;
        let factors = match exponent {
            0..=3 => vec![base.clone(); exponent as usize],
            _ if exponent.is_multiple_of(2) => {
                let half = self.product(base, half);
                vec![self.keep(&half, "power"); 2]
            }
            _ => vec![self.product(base, exponent - 1), base.clone()],
        };
        let mut out = Text::default();
        for (index, factor) in factors.iter().enumerate() {
            out.push(if index == 0 { "" } else { " * " });
            out.append(factor);
        }
        out
    }

    /// Whether a power takes variables.
    pub fn power_needs_statements(&self, args: &[Expr]) -> bool {
        let [base, exponent] = args else { return false };
        let large = self
            .eval(exponent)
            .is_some_and(|value| value.unsigned_abs() > 3);
        large || !is_short(base)
    }
}

/// Whether an argument of a template is kept in a variable.
pub(super) fn keeps(template: &str, args: &[Expr]) -> bool {
    let mut args = args.iter().enumerate();
    args.any(|(index, arg)| is_repeated(template, index) && !is_short(arg))
}

/// Whether the argument is in the template more than once.
fn is_repeated(template: &str, index: usize) -> bool {
    template.matches(&format!("{{{index}}}")).count() > 1
}

/// Whether an expression is as short as a variable that holds it.
fn is_short(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_)
        | ExprKind::Param(_)
        | ExprKind::Const(_)
        | ExprKind::Literal(_)
        | ExprKind::Int(_)
        | ExprKind::Hex(_)
        | ExprKind::Float(_) => true,
        ExprKind::Field(inner, _) => is_short(inner),
        _ => false,
    }
}

/// Whether a template has an operator outside of parentheses.
fn is_open(template: &str) -> bool {
    let mut depth = 0;
    template.chars().any(|char| {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        char == ' ' && depth == 0
    })
}

/// A number as one of `ty`, a scalar or a vector.
fn number_of(number: &str, ty: &Type) -> String {
    let scalar = ty.scalar().unwrap_or(Scalar::F32);
    let is_whole = !number.contains('.');
    let text = match scalar {
        Scalar::F32 if is_whole => format!("{number}.0"),
        Scalar::F16 if is_whole => format!("{number}.0h"),
        Scalar::F16 => format!("{number}h"),
        Scalar::F32 | Scalar::Bool => number.to_string(),
        integer => int(number.parse().unwrap_or(0), &Type::Scalar(integer)),
    };
    match ty {
        Type::Vector(..) => format!("{}({text})", ty.wgsl().unwrap_or_default()),
        _ => text,
    }
}
