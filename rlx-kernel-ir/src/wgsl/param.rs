//! Arrays among the params, whose elements lie in rows of a uniform buffer.

use super::expr::{Shape, call};
use super::function::FunctionPrinter;
use super::text::Text;
use crate::expr::{Expr, ExprKind};
use crate::param;
use crate::types::Type;

impl FunctionPrinter<'_, '_> {
    /// A param of the kernel.
    pub fn param(&self, index: usize, ty: &Type) -> (Text, Shape) {
        let kernel = self.context.module.kernel.as_ref();
        let name = kernel
            .and_then(|kernel| kernel.params.get(index))
            .map_or("", |param| &param.name);
        let place = Text::new(format!("params.{}", super::name::spell(name)));
        (value(&place, ty), Shape::Atom)
    }

    /// `coefficients[i]` of an array among the params; `None` for any other index.
    pub fn param_element(&mut self, expr: &Expr) -> Option<(Text, Shape)> {
        let mut indices = Vec::new();
        let mut at = expr;
        while let ExprKind::Index(base, index) = &at.kind {
            if !matches!(base.ty, Type::Array(..)) {
                return None;
            }
            indices.insert(0, (**index).clone());
            at = base;
        }
        let ExprKind::Param(index) = at.kind else {
            return None;
        };
        let (mut place, _) = self.param(index, &Type::U32);
        let texts = self.arguments(&indices);
        for (index, text) in indices.iter().zip(texts) {
            place.push("[");
            match self.eval(index) {
                Some(value) => place.push(&value.to_string()),
                None => place.append(&text),
            }
            place.push("]");
        }
        if !matches!(expr.ty, Type::Array(..)) {
            place.push(param::component(&expr.ty));
            return Some((place, Shape::Atom));
        }
        Some((value(&place, &expr.ty), Shape::Atom))
    }
}

/// What lies at `place`, as a value: an array is put together from its rows.
fn value(place: &Text, ty: &Type) -> Text {
    let Type::Array(elem, len) = ty else {
        return place.clone();
    };
    let elements: Vec<_> = (0..*len)
        .map(|index| {
            let mut at = place.clone();
            at.push(&format!("[{index}]"));
            if !matches!(**elem, Type::Array(..)) {
                at.push(param::component(elem));
            }
            value(&at, elem)
        })
        .collect();
    call(&ty.wgsl().unwrap_or_default(), &elements)
}
