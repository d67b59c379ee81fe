//! naga's verdict on a printed module.

use std::error::Error;
use std::ops::Range;

use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::wgsl::Text;

/// What naga says of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a feature by itself")]
pub struct Validated {
    /// Whether the module cannot do without subgroup operations.
    pub subgroup: bool,
    /// Whether it cannot do without the type `f16`.
    pub f16: bool,
    /// Whether it cannot do without integers of 64 bits.
    pub int64: bool,
    /// Whether it cannot do without cooperative matrices.
    pub matrix: bool,
    /// Offset and size in bytes of each field of the params struct.
    pub params: Vec<(u32, u32)>,
    /// The place of each scalar and vector in the params, in order, and the bytes from one element of
    /// an array to the next.
    pub leaves: Vec<u32>,
    /// Bytes of the params struct, padding included.
    pub params_size: u32,
    /// Bytes of workgroup memory whose length is known.
    pub workgroup_bytes: u32,
}

/// Parses and validates `text`, and finds the smallest set of capabilities that it needs.
///
/// # Errors
/// naga's finding, at the span that the text was printed for; `fallback` where it has none.
pub fn validate(text: &Text, fallback: Span) -> Result<Validated, Diagnostic> {
    let source = text.as_str();
    let at = |range: Option<Range<usize>>| {
        range
            .and_then(|range| text.span_of(&range))
            .unwrap_or(fallback)
    };
    let caught = std::panic::catch_unwind(|| naga::front::wgsl::parse_str(source));
    let module = match caught {
        Ok(Ok(module)) => module,
        Ok(Err(error)) => {
            let range = error.labels().next().and_then(|(span, _)| span.to_range());
            return Err(Diagnostic::new(at(range), plain(error.message())));
        }
        Err(_) => {
            return Err(Diagnostic::new(
                fallback,
                "naga stopped while reading this kernel's WGSL",
            ));
        }
    };
    // f16 values in f32 (`unpack2x16float`) are core WGSL; naga lists them as a capability.
    let core = Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let all = core
        | Capabilities::SUBGROUP
        | Capabilities::SHADER_FLOAT16
        | Capabilities::SHADER_INT64
        | Capabilities::COOPERATIVE_MATRIX;
    // Most kernels need nothing.
    let plain = check(&module, core).is_ok();
    if !plain {
        check(&module, all).map_err(|(range, message)| Diagnostic::new(at(range), message))?;
    }
    let needs = |capability| !plain && check(&module, all - capability).is_err();
    let mut validated = Validated {
        subgroup: needs(Capabilities::SUBGROUP),
        f16: needs(Capabilities::SHADER_FLOAT16),
        int64: needs(Capabilities::SHADER_INT64),
        matrix: has_matrices(&module),
        ..Validated::default()
    };
    for (_, variable) in module.global_variables.iter() {
        let inner = &module.types[variable.ty].inner;
        match variable.space {
            // Counted by its formula.
            naga::AddressSpace::WorkGroup if is_pending(inner) => {}
            naga::AddressSpace::WorkGroup => {
                validated.workgroup_bytes += inner.size(module.to_ctx()).next_multiple_of(16);
            }
            naga::AddressSpace::Uniform => {
                if let naga::TypeInner::Struct { members, span } = inner {
                    // A buffer is whole words.
                    validated.params_size = span.next_multiple_of(4);
                    let size = |member: &naga::StructMember| {
                        module.types[member.ty].inner.size(module.to_ctx())
                    };
                    validated.params = members
                        .iter()
                        .map(|member| (member.offset, size(member)))
                        .collect();
                    leaves(&module, variable.ty, 0, &mut validated.leaves);
                }
            }
            _ => {}
        }
    }
    Ok(validated)
}

/// As [`param::leaves`](crate::param::leaves), by naga's layout.
fn leaves(module: &naga::Module, ty: naga::Handle<naga::Type>, offset: u32, all: &mut Vec<u32>) {
    match &module.types[ty].inner {
        naga::TypeInner::Struct { members, .. } => {
            for member in members {
                leaves(module, member.ty, offset + member.offset, all);
            }
        }
        naga::TypeInner::Array { base, stride, .. } => {
            all.push(*stride);
            leaves(module, *base, offset, all);
        }
        _ => all.push(offset),
    }
}

/// Whether a module has cooperative matrices. naga 30 asks for the capability where a variable has such
/// a type, and not where an expression has.
fn has_matrices(module: &naga::Module) -> bool {
    use naga::Expression::{CooperativeLoad, CooperativeMultiplyAdd};
    let of_type = |ty: &naga::Type| matches!(ty.inner, naga::TypeInner::CooperativeMatrix { .. });
    let functions = module.functions.iter().map(|(_, function)| function);
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let mut expressions = functions
        .chain(entries)
        .flat_map(|function| function.expressions.iter());
    module.types.iter().any(|(_, ty)| of_type(ty))
        || expressions.any(|(_, expression)| {
            matches!(
                expression,
                CooperativeLoad { .. } | CooperativeMultiplyAdd { .. }
            )
        })
}

/// Whether an override sizes an array.
fn is_pending(inner: &naga::TypeInner) -> bool {
    matches!(
        inner,
        naga::TypeInner::Array {
            size: naga::ArraySize::Pending(_),
            ..
        }
    )
}

fn check(
    module: &naga::Module,
    capabilities: Capabilities,
) -> Result<(), (Option<Range<usize>>, String)> {
    let caught = std::panic::catch_unwind(|| {
        Validator::new(ValidationFlags::all(), capabilities)
            .validate(module)
            .map(|_| ())
            .map_err(Box::new)
    });
    match caught {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            let range = error.spans().next().and_then(|(span, _)| span.to_range());
            // The last source says what is wrong; those before it count arena handles.
            let mut message = error.as_inner().to_string();
            let mut source: Option<&dyn Error> = error.as_inner().source();
            while let Some(inner) = source {
                message = inner.to_string();
                source = inner.source();
            }
            Err((range, plain(&message)))
        }
        Err(_) => Err((None, "naga stopped while validating this kernel".into())),
    }
}

/// naga's message in the author's terms.
fn plain(message: &str) -> String {
    let known = [
        (
            "Float literal is infinite",
            "this constant is too large for `f32`",
        ),
        ("Float literal is NaN", "this constant is not a number"),
        (
            "operation overflowed",
            "this constant is outside the range of its type",
        ),
        (
            "argument is out of valid range",
            "this constant argument is outside what the function takes",
        ),
    ];
    known
        .iter()
        .find(|(theirs, _)| message.contains(theirs))
        .map_or_else(|| unnumbered(message), |(_, ours)| (*ours).to_string())
}

/// A message without handle numbers (`[12]`).
fn unnumbered(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(open) = rest.find('[') {
        let tail = &rest[open + 1..];
        match tail.find(']') {
            Some(close) if close > 0 && tail[..close].bytes().all(|byte| byte.is_ascii_digit()) => {
                out.push_str(rest[..open].trim_end());
                rest = &tail[close + 1..];
            }
            _ => {
                out.push_str(&rest[..=open]);
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}
