//! Params: how a uniform buffer lays them out.
//!
//! Elements of arrays lie in rows of 16 bytes, structs begin and end at multiples of 16, and halves in
//! rows are held as `f32`. What lies there as it does anywhere is declared as it is
//! ([`is_own`]); a struct for which that is not so is declared once more, for the params alone.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::diagnostic::Diagnostic;
use crate::item::{ItemId, KernelParam, Module};
use crate::layout;
use crate::span::Span;
use crate::types::{Scalar, Type};

/// Bytes of a row.
pub const ROW: u32 = 16;

/// The innermost element of an array of arrays.
pub fn leaf(ty: &Type) -> &Type {
    match ty {
        Type::Array(elem, _) => leaf(elem),
        other => other,
    }
}

/// A type with `f32` for its halves: what holds them where they are widened.
pub fn widened(ty: &Type) -> Type {
    match ty {
        Type::Scalar(Scalar::F16) => Type::F32,
        Type::Vector(elem, len) => Type::Vector(Box::new(widened(elem)), *len),
        plain => plain.clone(),
    }
}

/// The vector that fills a row with an element at its start.
pub fn row(elem: &Type) -> Type {
    let elem = widened(elem);
    let scalar = elem.scalar().unwrap_or(Scalar::U32);
    let lanes = ROW / scalar.size();
    match elem {
        Type::Vector(_, len) if u32::from(len) + 1 >= lanes => elem,
        _ => Type::vector(scalar, lanes.min(4) as u8),
    }
}

/// What takes an element out of its row.
pub fn component(elem: &Type) -> &'static str {
    match elem {
        Type::Scalar(_) => ".x",
        Type::Vector(inner, 2) if inner.scalar().is_some_and(|scalar| scalar.size() <= 4) => ".xy",
        _ => "",
    }
}

/// Whether a row holds an element of an array.
pub fn fits_a_row(elem: &Type) -> bool {
    let size = widened(elem).layout().map(|(size, _)| size);
    size.is_some_and(|size| size <= ROW)
}

/// Whether a part of the params is declared there by the type that it has anywhere else. A struct
/// may still need its place and size to be said.
pub fn is_own(module: &Module, ty: &Type) -> bool {
    match ty {
        Type::Array(elem, _) => fills_rows(module, elem) && is_own(module, elem),
        Type::Struct(id, _) => module.structure(*id).is_some_and(|structure| {
            structure.fields.iter().all(|(_, ty)| {
                let is_struct = matches!(ty, Type::Struct(..));
                is_own(module, ty) && (!is_struct || fills_rows(module, ty))
            })
        }),
        _ => true,
    }
}

/// Whether values side by side begin at multiples of 16 bytes by themselves.
fn fills_rows(module: &Module, ty: &Type) -> bool {
    layout::on_device(module, ty).is_some_and(|(_, align)| align == ROW)
}

/// Whether the struct of a field or a param is declared once more.
pub fn is_mirrored(module: &Module, ty: &Type, in_array: bool) -> bool {
    matches!(ty, Type::Struct(..)) && !(is_own(module, ty) && (!in_array || fills_rows(module, ty)))
}

/// The structs that `params` need once more, each before those that hold it.
pub fn mirrored(module: &Module, params: &[KernelParam]) -> Vec<ItemId> {
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    for param in params {
        collect(module, &param.ty, false, &mut seen, &mut all);
    }
    all
}

fn collect(
    module: &Module,
    ty: &Type,
    in_array: bool,
    seen: &mut BTreeSet<ItemId>,
    all: &mut Vec<ItemId>,
) {
    match ty {
        Type::Array(elem, _) => collect(module, elem, true, seen, all),
        Type::Struct(id, _) if is_mirrored(module, ty, in_array) && seen.insert(*id) => {
            let fields = module.structure(*id).map(|structure| &structure.fields);
            for (_, ty) in fields.into_iter().flatten() {
                collect(module, ty, false, seen, all);
            }
            all.push(*id);
        }
        _ => {}
    }
}

/// What must be said of a member's place: `@align(16)`, and its size.
pub fn attributes(module: &Module, ty: &Type) -> String {
    let mut all = String::new();
    if !matches!(ty, Type::Struct(..)) || is_mirrored(module, ty, false) {
        return all;
    }
    if let Some((size, align)) = layout::on_device(module, ty) {
        if align != ROW {
            all.push_str("@align(16) ");
        }
        if !size.is_multiple_of(ROW) {
            let _ = write!(all, "@size({}) ", size.next_multiple_of(ROW));
        }
    }
    all
}

/// Bytes and alignment of a part of the params.
pub fn layout(module: &Module, ty: &Type) -> Option<(u32, u32)> {
    match ty {
        Type::Array(elem, len) => {
            let (size, _) = layout(module, elem)?;
            let stride = match &**elem {
                Type::Array(..) | Type::Struct(..) => size,
                _ => ROW,
            };
            Some((stride.checked_mul(*len)?, ROW))
        }
        Type::Struct(id, _) => {
            let mut end = 0_u32;
            let fields = &module.structure(*id)?.fields;
            for ((_, ty), offset) in fields.iter().zip(offsets(module, *id)?) {
                end = offset.checked_add(layout(module, ty)?.0)?;
            }
            Some((end.checked_next_multiple_of(ROW)?, ROW))
        }
        plain => plain.layout(),
    }
}

/// Byte offsets of a struct's fields among the params.
pub fn offsets(module: &Module, id: ItemId) -> Option<Vec<u32>> {
    let mut end = 0_u32;
    let fields = module.structure(id)?.fields.iter().map(|(_, ty)| {
        let (size, align) = layout(module, ty)?;
        let offset = end.checked_next_multiple_of(align)?;
        end = offset.checked_add(size)?;
        Some(offset)
    });
    fields.collect()
}

/// The place of each scalar and vector of a part of the params that begins at `offset`, in order, and
/// the bytes from one element of an array to the next.
pub fn leaves(module: &Module, ty: &Type, offset: u32, all: &mut Vec<u32>) -> Option<()> {
    match ty {
        Type::Array(elem, len) => {
            all.push(layout(module, ty)?.0.checked_div(*len)?);
            leaves(module, elem, offset, all)
        }
        Type::Struct(id, _) => {
            let fields = &module.structure(*id)?.fields;
            for ((_, ty), place) in fields.iter().zip(offsets(module, *id)?) {
                leaves(module, ty, offset.checked_add(place)?, all)?;
            }
            Some(())
        }
        _ => {
            all.push(offset);
            Some(())
        }
    }
}

/// What is wrong with `ty` as a part of the params; the place is the field's for a struct's, and none
/// for `ty` itself.
pub fn problem(module: &Module, ty: &Type) -> Option<Diagnostic> {
    let elem = leaf(ty);
    if let Type::Struct(id, _) = elem {
        let structure = module.structure(*id)?;
        let mut fields = structure.fields.iter().zip(&structure.spans);
        return fields.find_map(|((field, ty), span)| {
            let mut problem = problem(module, ty).or_else(|| too_wide(ty))?;
            if problem.span == Span::NONE {
                let name = &structure.name;
                problem.message = format!(
                    "`{field}` of `{name}`, which is a param: {}",
                    problem.message
                );
                problem.span = *span;
                problem = problem.rule(name, &structure.origin);
            }
            Some(problem)
        });
    }
    if elem.scalar() == Some(Scalar::Bool) {
        let message = "`bool` has no place in memory that a GPU shares with its host";
        return Some(Diagnostic::new(Span::NONE, message).help("use `u32`: 0 and 1"));
    }
    if matches!(ty, Type::Array(..)) && !fits_a_row(elem) {
        let message =
            format!("a param cannot be an array of `{elem}`: its elements lie in rows of 16 bytes");
        let help = format!("take it as a slice, `&[{elem}]`");
        return Some(Diagnostic::new(Span::NONE, message).help(help));
    }
    None
}

/// A field that begins at multiples of more than 16 bytes, as no struct among the params does.
fn too_wide(ty: &Type) -> Option<Diagnostic> {
    let (_, align) = ty.layout()?;
    (align > ROW).then(|| {
        let message = format!("`{ty}` begins at multiples of {align} bytes, and a struct of 16");
        Diagnostic::new(Span::NONE, message).help("use two `Vec2<_>`, or a param of its own")
    })
}

#[cfg(test)]
mod tests {
    use super::{attributes, is_own, layout, leaves, mirrored, row};
    use crate::item::{Item, ItemId, KernelParam, Module, Origin, Struct};
    use crate::span::Span;
    use crate::types::{Scalar, Type};

    fn array(elem: Type, len: u32) -> Type {
        Type::Array(Box::new(elem), len)
    }

    fn structure(module: &mut Module, name: &str, fields: &[(&str, Type)]) -> Type {
        let id = ItemId(module.items.len());
        let fields = fields.iter();
        let fields: Vec<_> = fields
            .map(|(name, ty)| ((*name).into(), ty.clone()))
            .collect();
        module.items.push(Item::Struct(Struct {
            name: name.into(),
            spans: vec![Span::NONE; fields.len()],
            fields,
            functions: Vec::new(),
            consts: Vec::new(),
            span: Span::NONE,
            copied: true,
            origin: Origin::default(),
        }));
        Type::Struct(id, name.into())
    }

    #[test]
    fn elements_of_arrays_take_a_row_each() {
        let module = Module::default();
        let spelled = |ty: &Type| row(ty).wgsl().unwrap_or_default();
        assert_eq!(spelled(&Type::F32), "vec4f");
        assert_eq!(layout(&module, &array(Type::F32, 5)), Some((80, 16)));
        let pair = Type::vector(Scalar::U32, 2);
        assert_eq!(spelled(&pair), "vec4u");
        assert_eq!(layout(&module, &array(array(pair, 3), 2)), Some((96, 16)));
        assert_eq!(spelled(&Type::vector(Scalar::F32, 3)), "vec3f");
        assert_eq!(spelled(&Type::U64), "vec2<u64>");
        assert_eq!(spelled(&Type::F16), "vec4f");
        assert_eq!(spelled(&Type::vector(Scalar::F16, 3)), "vec3f");
    }

    #[test]
    fn a_struct_that_lies_in_a_uniform_buffer_as_anywhere_is_declared_once() {
        let mut module = Module::default();
        let light = [("at", Type::vector(Scalar::F32, 3)), ("power", Type::F32)];
        let light = structure(&mut module, "Light", &light);
        let scene = [("sun", light.clone()), ("lights", array(light.clone(), 4))];
        let scene = structure(&mut module, "Scene", &scene);
        assert!(is_own(&module, &scene));
        assert_eq!(attributes(&module, &scene), "");
        assert_eq!(layout(&module, &scene), Some((80, 16)));

        let span = structure(&mut module, "Span", &[("a", Type::U32), ("b", Type::U32)]);
        assert!(is_own(&module, &span));
        assert_eq!(attributes(&module, &span), "@align(16) @size(16) ");
        let holds = structure(&mut module, "Holds", &[("span", span.clone())]);
        assert!(!is_own(&module, &holds), "its field needs attributes");
        let taps = [
            ("n", Type::U32),
            ("taps", array(Type::F32, 2)),
            ("last", Type::F32),
        ];
        let taps = structure(&mut module, "Taps", &taps);
        assert_eq!(layout(&module, &taps), Some((64, 16)));
        let mut places = Vec::new();
        leaves(&module, &array(taps.clone(), 2), 32, &mut places);
        assert_eq!(places, [64, 32, 16, 48, 80]);

        let param = |ty| KernelParam {
            name: "p".into(),
            ty,
            widened: false,
            span: Span::NONE,
        };
        let params = [scene, array(span, 2), holds, taps].map(param);
        let all = mirrored(&module, &params);
        assert_eq!(all, [2, 3, 4].map(ItemId), "Span in an array, Holds, Taps");
    }
}
