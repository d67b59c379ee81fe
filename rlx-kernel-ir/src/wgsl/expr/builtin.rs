//! Calls of builtins, and their arguments.

use super::{Shape, call, wrapped};
use crate::builtin::{Builtin, Input, Ret, Spelling};
use crate::expr::{BinaryOp, Expr};
use crate::literal;
use crate::types::Type;
use crate::wgsl::function::FunctionPrinter;
use crate::wgsl::text::Text;

impl FunctionPrinter<'_, '_> {
    pub(super) fn builtin(&mut self, builtin: &Builtin, args: &[Expr], ty: &Type) -> (Text, Shape) {
        match builtin.wgsl {
            Spelling::Call(name) => {
                // WGSL's `select` names the false value first.
                let args = self.arguments(args);
                let args = if name == "select" {
                    vec![args[1].clone(), args[0].clone(), args[2].clone()]
                } else {
                    args
                };
                (call(name, &args), Shape::Atom)
            }
            Spelling::Constructor => {
                if let [arg] = args
                    && *ty == Type::F16
                    && let Some(text) = literal::f16_text(arg)
                {
                    let shape = if text.starts_with('-') {
                        Shape::Unary
                    } else {
                        Shape::Atom
                    };
                    return (Text::new(text), shape);
                }
                let args = self.arguments(args);
                (call(&Self::type_name(ty), &args), Shape::Atom)
            }
            Spelling::Bitcast => {
                let args = self.arguments(args);
                (
                    call(&format!("bitcast<{}>", Self::type_name(ty)), &args),
                    Shape::Atom,
                )
            }
            Spelling::Operator(text) => {
                let op = match text {
                    "+" => BinaryOp::Add,
                    "-" => BinaryOp::Sub,
                    "==" => BinaryOp::Eq,
                    "!=" => BinaryOp::Ne,
                    "<" => BinaryOp::Lt,
                    "<=" => BinaryOp::Le,
                    ">" => BinaryOp::Gt,
                    ">=" => BinaryOp::Ge,
                    _ => BinaryOp::Mul,
                };
                self.binary(op, &args[0], &args[1])
            }
            Spelling::Template(template) => {
                let cast = matches!(builtin.ret, Ret::As(_));
                self.template(template, args, (ty, cast))
            }
            Spelling::Power => self.power(args, ty),
            Spelling::Rotate { left } => self.rotation(args, left),
            Spelling::DivCeil => {
                // `(a + b - 1) / b` would wrap near the end of the type.
                let [a, b] = self.ordered([&args[0], &args[1]]);
                let (a, b) = (wrapped(a), wrapped(b));
                let (a, b) = (a.as_str(), b.as_str());
                let ty = Self::type_name(ty);
                let zero = match ty.as_str() {
                    "u32" => "0u",
                    "u64" => "0lu",
                    "i64" => "0li",
                    _ => "0",
                };
                let text = format!("{a} / {b} + {ty}({a} % {b} != {zero})");
                (Text::new(text), Shape::Binary(BinaryOp::Add))
            }
            Spelling::OnPlace(name) => {
                let call = self.on_place(name, args);
                (call, Shape::Atom)
            }
            Spelling::CompareExchange => {
                let mut call = self.on_place("atomicCompareExchangeWeak", args);
                call.push(".old_value");
                (call, Shape::Atom)
            }
            Spelling::Elect => {
                self.printed.inputs.insert(Input::SubgroupLane);
                let lane = Input::SubgroupLane.name();
                let text = format!("subgroupBroadcastFirst({lane}) == {lane}");
                (Text::new(text), Shape::Binary(BinaryOp::Eq))
            }
            Spelling::Trace => (Text::default(), Shape::Atom),
            Spelling::Matrix(op) => (self.matrix(op, args, ty), Shape::Atom),
            Spelling::Input(input) => {
                self.printed.inputs.insert(input);
                (Text::new(input.name()), Shape::Atom)
            }
        }
    }

    /// A call whose first argument is a place in memory.
    pub(super) fn on_place(&mut self, name: &str, args: &[Expr]) -> Text {
        let mut all = Vec::with_capacity(args.len());
        if let Some((place, values)) = args.split_first() {
            let values = self.arguments(values);
            let mut text = Text::new("&");
            text.append(&self.operand(place));
            all.push(text);
            all.extend(values);
        }
        call(name, &all)
    }

    /// Arguments in order; those before one that needs statements are kept in variables.
    pub fn arguments(&mut self, args: &[Expr]) -> Vec<Text> {
        let last = args
            .iter()
            .rposition(|arg| self.needs_statements(arg))
            .unwrap_or(0);
        args.iter()
            .enumerate()
            .map(|(index, arg)| {
                if index < last && !Self::is_simple(arg) {
                    self.spill(arg, "value")
                } else {
                    self.expr(arg)
                }
            })
            .collect()
    }

    pub(super) fn ordered(&mut self, [a, b]: [&Expr; 2]) -> [Text; 2] {
        if self.needs_statements(b) && self.needs_statements(a) {
            let first = self.spill(a, "value");
            return [first, self.expr(b)];
        }
        if self.needs_statements(b) {
            // The base of an index is a place: it has no value to keep.
            let second = self.spill(b, "index");
            return [self.operand(a), second];
        }
        [self.operand(a), self.expr(b)]
    }
}
