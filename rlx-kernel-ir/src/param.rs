//! Params in WGSL: a uniform buffer holds arrays in rows of 16 bytes.

use crate::types::{Scalar, Type};

/// Bytes of a row.
const ROW: u32 = 16;

/// The innermost element of an array of arrays.
pub fn leaf(ty: &Type) -> &Type {
    match ty {
        Type::Array(elem, _) => leaf(elem),
        other => other,
    }
}

/// How WGSL declares a param of type `ty`: elements of arrays are widened to a row.
pub fn declared(ty: &Type) -> Type {
    match ty {
        Type::Array(elem, len) => {
            let elem = match &**elem {
                Type::Array(..) => declared(elem),
                plain => row(plain),
            };
            Type::Array(Box::new(elem), *len)
        }
        plain => plain.clone(),
    }
}

/// The vector that fills a row with an element at its start.
fn row(elem: &Type) -> Type {
    let scalar = elem.scalar().unwrap_or(Scalar::U32);
    let lanes = ROW / scalar.size();
    match elem {
        Type::Vector(_, len) if u32::from(*len) + 1 >= lanes => elem.clone(),
        _ => Type::vector(scalar, lanes.min(4) as u8),
    }
}

/// What takes an element out of its row.
pub fn component(elem: &Type) -> &'static str {
    match elem {
        Type::Scalar(_) => ".x",
        Type::Vector(inner, 2) if inner.scalar().is_some_and(|scalar| scalar.size() == 4) => ".xy",
        _ => "",
    }
}

/// Whether a row holds an element of an array.
pub fn fits_a_row(elem: &Type) -> bool {
    let wide = elem.scalar().is_some_and(|scalar| scalar.size() >= 4);
    wide && elem.layout().is_some_and(|(size, _)| size <= ROW)
}

/// Bytes and alignment of a param.
pub fn layout(ty: &Type) -> Option<(u32, u32)> {
    match ty {
        Type::Array(elem, len) => {
            let (size, _) = match &**elem {
                inner @ Type::Array(..) => layout(inner)?,
                _ => (ROW, ROW),
            };
            Some((size.checked_mul(*len)?, ROW))
        }
        plain => plain.layout(),
    }
}

#[cfg(test)]
mod tests {
    use super::{declared, layout};
    use crate::types::{Scalar, Type};

    #[test]
    fn elements_of_arrays_take_a_row_each() {
        let array = |elem: Type, len| Type::Array(Box::new(elem), len);
        let spelled = |ty: &Type| declared(ty).wgsl().unwrap_or_default();
        let weights = array(Type::F32, 5);
        assert_eq!(spelled(&weights), "array<vec4f, 5>");
        assert_eq!(layout(&weights), Some((80, 16)));
        let pairs = array(array(Type::vector(Scalar::U32, 2), 3), 2);
        assert_eq!(spelled(&pairs), "array<array<vec4u, 3>, 2>");
        assert_eq!(layout(&pairs), Some((96, 16)));
        assert_eq!(
            spelled(&array(Type::vector(Scalar::F32, 3), 2)),
            "array<vec3f, 2>"
        );
        assert_eq!(spelled(&array(Type::U64, 2)), "array<vec2<u64>, 2>");
    }
}
