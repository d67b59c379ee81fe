//! The static that tells of a compiled instance.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use rlx_kernel_ir::matrix::Shape;
use rlx_kernel_ir::{Compiled, Scalar};

use crate::generate::overrides;
use crate::{chain, paths};

/// `KernelInfo { .. }`
pub fn info(
    (name, instance): (&syn::Ident, &str),
    (file, line): (&str, u32),
    workgroup_size: [u32; 3],
    numbers: &[(String, i64)],
    tables: &TokenStream,
    compiled: &Compiled,
    (twin, traced, proof): (&[u8], &TokenStream, &TokenStream),
) -> TokenStream {
    let cow = |text: &str| quote!(__B(#text));
    let bindings = compiled.bindings.iter().map(|binding| {
        let (name, variable, element) = (cow(&binding.name), cow(&binding.variable), cow(&binding.element));
        let (stride, writable) = (binding.stride, binding.writable);
        quote!(__rlx::Binding { name: #name, variable: #variable, element: #element, stride: #stride, writable: #writable })
    });
    let params = compiled.params.iter().map(|param| {
        let (name, ty) = (cow(&param.name), cow(&param.ty));
        let (offset, size) = (param.offset, param.size);
        quote!(__rlx::ParamField { name: #name, ty: #ty, offset: #offset, size: #size })
    });
    let name = paths::name(name);
    let (name, entry) = (cow(&name), cow(&compiled.entry));
    let (instance, file, wgsl) = (cow(instance), cow(file), cow(&compiled.wgsl));
    let [x, y, z] = workgroup_size;
    let (params_size, workgroup_bytes) = (
        compiled.validated.params_size,
        compiled.validated.workgroup_bytes,
    );
    let validated = &compiled.validated;
    let (subgroup, f16, int64) = (validated.subgroup, validated.f16, validated.int64);
    let matrix = validated.matrix;
    let matrices = compiled.matrices.iter().copied().map(shape);
    let linear = compiled.linear;
    let limits = compiled.limits.iter().map(|required| {
        let (name, needed, default) = (
            cow(required.limit.name),
            required.needed,
            required.limit.default,
        );
        quote!(__rlx::RequiredLimit { name: #name, needed: #needed, default: #default })
    });
    let hash = chain::fnv1a(compiled.wgsl.as_bytes());
    let (overrides, workgroup) = overrides::info(compiled);
    let numbers = numbers.iter().map(|(name, value)| {
        let name = cow(name);
        quote!((#name, #value))
    });
    let twin = Literal::byte_string(twin);
    let cost = crate::generate::cost::tokens(&compiled.cost);
    // Short names: a kernel's tokens are made for every instance.
    quote! {{
        use ::rlx_kernels as __rlx;
        use ::rlx_kernels::__private::Cow::Borrowed as __B;
        __rlx::KernelInfo {
            name: #name,
            instance: #instance,
            entry: #entry,
            file: #file,
            line: #line,
            bindings: __B(&[#(#bindings),*]),
            params: __B(&[#(#params),*]),
            tables: #tables,
            params_size: #params_size,
            workgroup_size: [#x, #y, #z],
            workgroup_bytes: #workgroup_bytes,
            features: __rlx::Features { subgroup: #subgroup, f16: #f16, int64: #int64, matrix: #matrix },
            matrices: __B(&[#(#matrices),*]),
            linear: #linear,
            limits: __B(&[#(#limits),*]),
            numbers: __B(&[#(#numbers),*]),
            overrides: #overrides,
            workgroup: #workgroup,
            proof: #proof,
            cost: #cost,
            wgsl: #wgsl,
            hash: #hash,
            twin: __B(#twin),
            traced: #traced,
        }
    }}
}

/// A product of matrices.
fn shape(shape: Shape) -> TokenStream {
    let scalar = |scalar: Option<Scalar>| match scalar {
        None => quote!(::core::option::Option::None),
        Some(Scalar::F16) => {
            quote!(::core::option::Option::Some(
                ::rlx_kernels::MatrixScalar::F16
            ))
        }
        Some(_) => quote!(::core::option::Option::Some(
            ::rlx_kernels::MatrixScalar::F32
        )),
    };
    let (size, input, output) = (shape.size, scalar(shape.input), scalar(shape.output));
    quote!(::rlx_kernels::MatrixShape { m: #size, n: #size, k: #size, input: #input, output: #output })
}
