//! The static that tells of a compiled instance.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use rlx_kernel_ir::matrix::Shape;
use rlx_kernel_ir::{Compiled, Scalar};

use crate::generate::text::{self, list, text as cow};
use crate::generate::{cost, overrides, proof, traced};
use crate::spans::Spans;
use crate::{chain, report};

/// What an instance is told by besides what was compiled.
pub struct Named<'n> {
    /// The kernel.
    pub name: String,
    /// The instance.
    pub label: &'n str,
    /// The kernel's place.
    pub file: &'n str,
    /// Its line.
    pub line: u32,
    /// Invocations by dimension.
    pub workgroup_size: [u32; 3],
    /// The values of its const parameters.
    pub numbers: Vec<(String, i64)>,
    /// The tables that it reads.
    pub tables: &'n TokenStream,
}

/// `KernelInfo { .. }`
pub fn info(named: &Named<'_>, compiled: &Compiled, spans: &Spans) -> TokenStream {
    let fields = match text::tokens(&fields(named, compiled, spans)) {
        Ok(fields) => fields,
        Err(error) => return report::syntax(&error),
    };
    let (tables, wgsl) = (named.tables, &compiled.wgsl);
    let twin = compiled.twin.encode(|span| spans.location(span));
    let twin = Literal::byte_string(&twin);
    let traced = traced::info(compiled.traced.as_ref(), spans);
    quote! {{
        use ::rlx_kernels as __rlx;
        use ::rlx_kernels::__private::Cow::Borrowed as __B;
        __rlx::KernelInfo { tables: #tables, wgsl: __B(#wgsl), twin: __B(#twin), traced: #traced, #fields }
    }}
}

/// The other fields.
fn fields(named: &Named<'_>, compiled: &Compiled, spans: &Spans) -> String {
    let bindings = list(&compiled.bindings, |binding| {
        let (name, variable, element) = (&binding.name, &binding.variable, &binding.element);
        let (stride, writable) = (binding.stride, binding.writable);
        format!(
            "__rlx::Binding {{ name: __B({name:?}), variable: __B({variable:?}), element: __B({element:?}), stride: {stride}, writable: {writable} }}"
        )
    });
    let params = list(&compiled.params, |param| {
        let (name, ty, offset, size) = (&param.name, &param.ty, param.offset, param.size);
        format!(
            "__rlx::ParamField {{ name: __B({name:?}), ty: __B({ty:?}), offset: {offset}, size: {size} }}"
        )
    });
    let limits = list(&compiled.limits, |required| {
        let (limit, needed) = (required.limit, required.needed);
        let (name, default) = (limit.name, limit.default);
        format!(
            "__rlx::RequiredLimit {{ name: __B({name:?}), needed: {needed}, default: {default} }}"
        )
    });
    let numbers = list(&named.numbers, |(name, value)| {
        format!("(__B({name:?}), {value})")
    });
    let matrices = list(&compiled.matrices, |shape| matrix(*shape));
    let (name, instance, entry, file) = (
        cow(&named.name),
        cow(named.label),
        cow(&compiled.entry),
        cow(named.file),
    );
    let (line, workgroup_size, linear) = (named.line, named.workgroup_size, compiled.linear);
    let validated = &compiled.validated;
    let (params_size, workgroup_bytes) = (validated.params_size, validated.workgroup_bytes);
    let (subgroup, f16) = (validated.subgroup, validated.f16);
    let (int64, matrix) = (validated.int64, validated.matrix);
    let (overrides, workgroup) = overrides::info(compiled);
    let hash = chain::fnv1a(compiled.wgsl.as_bytes());
    let proof = proof::text(&compiled.proof, hash, spans);
    let cost = cost::text(&compiled.cost);
    format!(
        "name: {name}, instance: {instance}, entry: {entry}, file: {file}, line: {line}, \
         bindings: {bindings}, params: {params}, params_size: {params_size}, \
         workgroup_size: {workgroup_size:?}, workgroup_bytes: {workgroup_bytes}, \
         features: __rlx::Features {{ subgroup: {subgroup}, f16: {f16}, int64: {int64}, matrix: {matrix} }}, \
         matrices: {matrices}, linear: {linear}, limits: {limits}, numbers: {numbers}, \
         overrides: {overrides}, workgroup: {workgroup}, proof: {proof}, cost: {cost}, hash: {hash}"
    )
}

/// A product of matrices.
fn matrix(shape: Shape) -> String {
    let scalar = |scalar: Option<Scalar>| match scalar {
        None => "::core::option::Option::None",
        Some(Scalar::F16) => "::core::option::Option::Some(__rlx::MatrixScalar::F16)",
        Some(_) => "::core::option::Option::Some(__rlx::MatrixScalar::F32)",
    };
    let (size, input, output) = (shape.size, scalar(shape.input), scalar(shape.output));
    format!(
        "__rlx::MatrixShape {{ m: {size}, n: {size}, k: {size}, input: {input}, output: {output} }}"
    )
}
