//! Params in WGSL: their declaration, and how what lies in rows is read.

use super::expr::{Shape, call};
use super::function::FunctionPrinter;
use super::module::Context;
use super::name::spell;
use super::text::Text;
use crate::expr::{Expr, ExprKind};
use crate::item::Kernel;
use crate::param;
use crate::types::{Scalar, Type};

impl Context<'_> {
    /// The type by which a part of the params is declared.
    pub fn declared(&self, ty: &Type, in_array: bool) -> String {
        match ty {
            Type::Array(elem, len) => format!("array<{}, {len}>", self.declared(elem, true)),
            Type::Struct(id, _) if param::is_mirrored(self.module, ty, in_array) => {
                let mut mirrors = self.mirrors.iter();
                let name = mirrors.find(|(mirrored, _)| mirrored == id);
                name.map_or_else(String::new, |(_, name)| name.clone())
            }
            Type::Struct(..) => ty.wgsl().unwrap_or_default(),
            elem if in_array => param::row(elem).wgsl().unwrap_or_default(),
            plain => plain.wgsl().unwrap_or_default(),
        }
    }

    /// The params, and the structs that only they have.
    pub fn print_params(&self, kernel: &Kernel, text: &mut Text) {
        for (id, mirror) in &self.mirrors {
            let Some(structure) = self.module.structure(*id) else {
                continue;
            };
            text.push(&format!("struct {mirror} {{\n"));
            for (index, (name, ty)) in structure.fields.iter().enumerate() {
                let mut attributes = param::attributes(self.module, ty);
                // The first field aligns the whole.
                if index == 0 && param::layout(self.module, ty).is_some_and(|(_, align)| align < 16)
                {
                    attributes = "@align(16) ".into();
                }
                let (name, ty) = (spell(name), self.declared(ty, false));
                text.push(&format!("    {attributes}{name}: {ty},\n"));
            }
            text.push("}\n\n");
        }
        if kernel.params.is_empty() {
            return;
        }
        text.push("struct Params {\n");
        for param in &kernel.params {
            let start = text.len();
            let attributes = param::attributes(self.module, &param.ty);
            let (name, ty) = (spell(&param.name), self.declared(&param.held(), false));
            text.push(&format!("    {attributes}{name}: {ty},\n"));
            text.mark_from(start, param.span);
        }
        text.push("}\n\n");
    }
}

/// A step from a part of the params to a part of it.
enum Step<'e> {
    Field(&'e str),
    Element,
}

/// The param that `expr` is a part of, the steps that lead to it, and the indices among them.
fn steps(expr: &Expr) -> Option<(usize, Vec<Step<'_>>, Vec<Expr>)> {
    let (mut steps, mut indices, mut at) = (Vec::new(), Vec::new(), expr);
    loop {
        match &at.kind {
            ExprKind::Param(index) => {
                steps.reverse();
                indices.reverse();
                return Some((*index, steps, indices));
            }
            ExprKind::Field(base, name) if matches!(base.ty, Type::Struct(..)) => {
                steps.push(Step::Field(name));
                at = base;
            }
            ExprKind::Index(base, index) if matches!(base.ty, Type::Array(..)) => {
                steps.push(Step::Element);
                indices.push((**index).clone());
                at = base;
            }
            _ => return None,
        }
    }
}

impl FunctionPrinter<'_, '_> {
    /// A part of a param: itself, a field, an element, and so on; `None` for any other expression.
    pub fn param_part(&mut self, expr: &Expr) -> Option<(Text, Shape)> {
        let (index, steps, indices) = steps(expr)?;
        let module = self.context.module;
        let param = module.kernel.as_ref()?.params.get(index)?;
        let mut place = Text::new(format!("params.{}", spell(&param.name)));
        let mut in_array = false;
        let mut texts = self.arguments(&indices).into_iter().zip(&indices);
        for step in steps {
            in_array = matches!(step, Step::Element);
            match step {
                Step::Field(name) => {
                    place.push(".");
                    place.push(&spell(name));
                }
                Step::Element => {
                    let (text, index) = texts.next()?;
                    place.push("[");
                    match self.eval(index) {
                        Some(value) => place.push(&value.to_string()),
                        None => place.append(&text),
                    }
                    place.push("]");
                }
            }
        }
        let is_widened = param.widened && param.ty.scalar() == Some(Scalar::F16);
        let value = if is_widened {
            narrowed(&place, &expr.ty)
        } else {
            self.param_value(&place, &expr.ty, in_array)
        };
        Some((value, Shape::Atom))
    }

    /// What lies at `place`, as a value: an array is put together from its rows.
    fn param_value(&self, place: &Text, ty: &Type, in_array: bool) -> Text {
        let module = self.context.module;
        let at = |step: &str| {
            let mut at = place.clone();
            at.push(step);
            at
        };
        let parts: Vec<_> = match ty {
            Type::Array(elem, len) if !param::is_own(module, ty) => (0..*len)
                .map(|index| self.param_value(&at(&format!("[{index}]")), elem, true))
                .collect(),
            Type::Struct(id, _) if param::is_mirrored(module, ty, in_array) => {
                let fields = module.structure(*id).map(|structure| &structure.fields);
                let fields = fields.into_iter().flatten();
                fields
                    .map(|(name, ty)| {
                        self.param_value(&at(&format!(".{}", spell(name))), ty, false)
                    })
                    .collect()
            }
            Type::Array(..) | Type::Struct(..) => return place.clone(),
            elem if in_array => {
                let place = at(param::component(elem));
                return if elem.scalar() == Some(Scalar::F16) {
                    narrowed(&place, elem)
                } else {
                    place
                };
            }
            _ => return place.clone(),
        };
        call(&ty.wgsl().unwrap_or_default(), &parts)
    }
}

/// The halves that are held as `f32` at `place`.
fn narrowed(place: &Text, ty: &Type) -> Text {
    call(&ty.wgsl().unwrap_or_default(), std::slice::from_ref(place))
}
