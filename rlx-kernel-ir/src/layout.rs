//! Where values lie in memory that a GPU shares with its host, by WGSL's rules, and what to change where
//! Rust's `repr(C)` puts them elsewhere.
//!
//! Rust aligns nothing more widely than WGSL does. So the two agree wherever WGSL leaves no gap, and bytes
//! without gaps are what the host may copy.

use crate::diagnostic::Diagnostic;
use crate::item::{ItemId, Module, Struct};
use crate::types::{Scalar, Type};

/// Bytes of a value and the alignment of its place.
pub type Layout = (u32, u32);

/// How WGSL lays out `ty` in storage; `None` for what has no place there, and past 4 GiB.
pub fn on_device(module: &Module, ty: &Type) -> Option<Layout> {
    match ty {
        Type::Struct(id, _) => Some(places(module, module.structure(*id)?)?.whole),
        Type::Array(elem, len) => {
            let (size, align) = on_device(module, elem)?;
            Some((
                size.checked_next_multiple_of(align)?.checked_mul(*len)?,
                align,
            ))
        }
        plain => plain.layout(),
    }
}

/// Byte offsets of a struct's fields on the device.
pub fn offsets(module: &Module, id: ItemId) -> Option<Vec<u32>> {
    Some(places(module, module.structure(id)?)?.offsets)
}

struct Places {
    offsets: Vec<u32>,
    whole: Layout,
}

fn places(module: &Module, structure: &Struct) -> Option<Places> {
    let (mut end, mut widest) = (0_u32, 1);
    let mut offsets = Vec::with_capacity(structure.fields.len());
    for (_, ty) in &structure.fields {
        let (size, align) = on_device(module, ty)?;
        let offset = end.checked_next_multiple_of(align)?;
        offsets.push(offset);
        end = offset.checked_add(size)?;
        widest = widest.max(align);
    }
    Some(Places {
        offsets,
        whole: (end.checked_next_multiple_of(widest)?, widest),
    })
}

/// Byte offsets of a struct's fields and its size, where host and device agree on all of them and no
/// byte lies between.
pub fn shared(module: &Module, id: ItemId) -> Option<(Vec<u32>, u32)> {
    let structure = module.structure(id)?;
    if !is_copied(module, structure) || disagreement(module, structure).is_some() {
        return None;
    }
    let places = places(module, structure)?;
    Some((places.offsets, places.whole.0))
}

/// Whether the host copies the struct and all structs in it.
fn is_copied(module: &Module, structure: &Struct) -> bool {
    structure.copied && {
        let mut fields = structure.fields.iter();
        fields.all(|(_, ty)| match innermost(ty) {
            Type::Struct(id, _) => module
                .structure(*id)
                .is_some_and(|inner| is_copied(module, inner)),
            _ => true,
        })
    }
}

/// The element of an array of arrays; of anything else, the type itself.
fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::Array(elem, _) => innermost(elem),
        other => other,
    }
}

/// What is wrong with `ty`, a struct or an array, as what host and device share; the place is the
/// field's for a struct's, and none for what the author of `ty` itself has to change.
pub fn problem(module: &Module, ty: &Type) -> Option<Diagnostic> {
    match innermost(ty) {
        Type::Struct(id, _) => {
            let structure = module.structure(*id)?;
            disagreement(module, structure).or_else(|| uncopied(module, structure))
        }
        elem => element(elem, matches!(ty, Type::Array(..))),
    }
}

/// What is wrong with a plain type in shared memory.
fn element(elem: &Type, in_array: bool) -> Option<Diagnostic> {
    let none = crate::span::Span::NONE;
    match elem {
        Type::Scalar(Scalar::Bool) => Some(
            Diagnostic::new(
                none,
                "`bool` has no place in memory that a GPU shares with its host",
            )
            .help("use `u32`: 0 and 1"),
        ),
        Type::Vector(elem, _) if elem.scalar() == Some(Scalar::Bool) => element(elem, in_array),
        Type::Vector(elem, 3) if in_array => {
            let message = format!(
                "an array of `Vec3<{elem}>` would have a gap of one component after each element"
            );
            Some(Diagnostic::new(none, message).help(format!("use `Vec4<{elem}>`")))
        }
        _ => None,
    }
}

fn uncopied(module: &Module, structure: &Struct) -> Option<Diagnostic> {
    if !structure.copied {
        let name = &structure.name;
        let message =
            format!("`{name}` lies in a slice, but its bytes cannot be copied: it is not `Copy`");
        let help = "write `#[derive(Clone, Copy)]` between `#[device]` and the struct";
        let diagnostic = Diagnostic::new(structure.span, message);
        return Some(diagnostic.help(help).rule(name, &structure.origin));
    }
    structure
        .fields
        .iter()
        .find_map(|(_, ty)| match innermost(ty) {
            Type::Struct(id, _) => uncopied(module, module.structure(*id)?),
            _ => None,
        })
}

/// The first place where host and device do not agree on a struct.
fn disagreement(module: &Module, structure: &Struct) -> Option<Diagnostic> {
    let name = &structure.name;
    let at = |index: usize| {
        structure
            .spans
            .get(index)
            .copied()
            .unwrap_or(structure.span)
    };
    let (mut end, mut widest) = (0_u32, 1);
    for (index, (field, ty)) in structure.fields.iter().enumerate() {
        if let Type::Struct(id, _) = innermost(ty)
            && let Some(inner) = module.structure(*id)
            && let Some(problem) = disagreement(module, inner)
        {
            return Some(problem);
        }
        if let Some(mut problem) = element(innermost(ty), matches!(ty, Type::Array(..))) {
            problem.span = at(index);
            problem.message = format!(
                "`{field}` of `{name}`, which lies in a slice: {}",
                problem.message
            );
            return Some(problem.rule(name, &structure.origin));
        }
        let (size, align) = on_device(module, ty)?;
        let offset = end.checked_next_multiple_of(align)?;
        if offset != end {
            let gap = offset - end;
            let message = format!(
                "`{field}` of `{name}`, which lies in a slice, would be at byte {offset} on a GPU, {gap} bytes after the field before it, and Rust leaves no such gap"
            );
            let help = match filler(module, structure, index, (end, gap)) {
                Some(filler) => format!("write `{filler}` before `{field}`: it fills the gap"),
                None => format!("write `pad: {}` before `{field}`", padding(end, gap)),
            };
            let diagnostic = Diagnostic::new(at(index), message).help(help);
            return Some(diagnostic.rule(name, &structure.origin));
        }
        end = offset.checked_add(size)?;
        widest = widest.max(align);
    }
    let size = end.checked_next_multiple_of(widest)?;
    if size == end {
        return None;
    }
    let gap = size - end;
    let message = format!(
        "`{name}`, which lies in a slice, would have {size} bytes on a GPU, {gap} more than its fields, and Rust leaves no such gap"
    );
    let help = format!("write `pad: {}` as its last field", padding(end, gap));
    let diagnostic = Diagnostic::new(at(structure.fields.len() - 1), message).help(help);
    Some(diagnostic.rule(name, &structure.origin))
}

/// A later field that fills the gap before field `index`.
fn filler<'s>(
    module: &Module,
    structure: &'s Struct,
    index: usize,
    (end, gap): (u32, u32),
) -> Option<&'s str> {
    let mut later = structure.fields.iter().skip(index + 1);
    later
        .find(|(_, ty)| {
            on_device(module, ty)
                .is_some_and(|(size, align)| size == gap && end.is_multiple_of(align))
        })
        .map(|(name, _)| name.as_str())
}

/// The type of a field that fills `gap` bytes from byte `end` on.
fn padding(end: u32, gap: u32) -> String {
    let unit = if gap.is_multiple_of(4) && end.is_multiple_of(4) {
        ("u32", 4)
    } else {
        ("f16", 2)
    };
    match gap / unit.1 {
        1 => unit.0.into(),
        count => format!("[{}; {count}]", unit.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{on_device, problem, shared};
    use crate::item::{Item, ItemId, Module, Origin, Struct};
    use crate::span::Span;
    use crate::types::{Scalar, Type};

    fn module(fields: &[(&str, Type)]) -> Module {
        let structure = Struct {
            name: "S".into(),
            fields: fields
                .iter()
                .map(|(name, ty)| ((*name).to_string(), ty.clone()))
                .collect(),
            functions: Vec::new(),
            consts: Vec::new(),
            spans: vec![Span::NONE; fields.len()],
            span: Span::NONE,
            copied: true,
            origin: Origin::default(),
        };
        Module {
            tables: Vec::new(),
            items: vec![Item::Struct(structure)],
            kernel: None,
        }
    }

    fn help(fields: &[(&str, Type)]) -> Option<String> {
        problem(&module(fields), &Type::Struct(ItemId(0), "S".into()))?.help
    }

    fn array(elem: Type, len: u32) -> Type {
        Type::Array(Box::new(elem), len)
    }

    #[test]
    fn a_struct_whose_vectors_are_filled_up_is_shared_as_it_is() {
        let fields = [
            ("pos", Type::vector(Scalar::F32, 3)),
            ("mass", Type::F32),
            ("bits", array(Type::U32, 2)),
            ("uv", Type::vector(Scalar::F32, 2)),
        ];
        let module = module(&fields);
        assert_eq!(shared(&module, ItemId(0)), Some((vec![0, 12, 16, 24], 32)));
        let many = array(Type::Struct(ItemId(0), "S".into()), 3);
        assert_eq!(on_device(&module, &many), Some((96, 16)));
    }

    #[test]
    fn a_gap_is_filled_by_a_later_field_or_by_padding() {
        let v = Type::vector(Scalar::F32, 3);
        let gap = [
            ("a", v.clone()),
            ("b", v.clone()),
            ("c", Type::U32),
            ("d", Type::U32),
        ];
        assert_eq!(
            help(&gap).as_deref(),
            Some("write `c` before `b`: it fills the gap")
        );
        let lone = [("x", Type::F32), ("a", v.clone())];
        assert_eq!(
            help(&lone).as_deref(),
            Some("write `pad: [u32; 3]` before `a`")
        );
        let end = [("a", v)];
        assert_eq!(
            help(&end).as_deref(),
            Some("write `pad: u32` as its last field")
        );
        let half = [("a", Type::F16), ("b", Type::F32)];
        assert_eq!(help(&half).as_deref(), Some("write `pad: f16` before `b`"));
    }

    #[test]
    fn a_bool_is_refused_wherever_it_lies() {
        assert_eq!(
            help(&[("on", array(Type::BOOL, 4))]).as_deref(),
            Some("use `u32`: 0 and 1")
        );
    }
}
