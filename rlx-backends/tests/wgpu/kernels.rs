//! Kernels written by hand, as the macros would give them.

use std::sync::Arc;

use rlx_kernels::geometry::Extent;
use rlx_kernels::kernel::fnv1a;
use rlx_kernels::{
    Binding, Buffer, Dispatch, DispatchError, Features, KernelInfo, KernelRef, Override,
};

/// A kernel of 64 invocations a workgroup over f32 bindings, `(name, writable)` each.
pub fn kernel(
    name: &'static str,
    bindings: &[(&'static str, bool)],
    params_size: u32,
    body: &str,
) -> KernelInfo {
    let bindings = bindings.iter().map(|&(name, writable)| Binding {
        name: name.into(),
        variable: name.into(),
        element: "f32".into(),
        stride: 4,
        writable,
    });
    let mut kernel = KernelInfo {
        name: name.into(),
        entry: name.into(),
        instance: "".into(),
        file: file!().into(),
        line: line!(),
        bindings: bindings.collect(),
        params: Vec::new().into(),
        params_size,
        workgroup_size: [64, 1, 1],
        workgroup_bytes: 0,
        features: Features::NONE,
        linear: false,
        wgsl: "".into(),
        hash: 0,
        ..KernelInfo::BROKEN
    };
    set_body(&mut kernel, body);
    kernel
}

/// Gives `kernel` another body after the declarations of its bindings and params.
pub fn set_body(kernel: &mut KernelInfo, body: &str) {
    let mut wgsl = String::new();
    for (index, binding) in kernel.bindings.iter().enumerate() {
        let access = if binding.writable {
            "read_write"
        } else {
            "read"
        };
        let (variable, element) = (&binding.variable, &binding.element);
        let declaration = format!("var<storage, {access}> {variable}: array<{element}>;");
        wgsl.extend([
            &format!("@group(0) @binding({index}) "),
            declaration.as_str(),
            "\n",
        ]);
    }
    let index = kernel.bindings.len();
    wgsl.extend([
        &format!("@group(0) @binding({index}) var<uniform> params: Params;\n"),
        body,
    ]);
    kernel.hash = fnv1a(wgsl.as_bytes());
    kernel.wgsl = wgsl.into();
}

/// y = a * x + y
pub fn saxpy_kernel() -> KernelInfo {
    kernel(
        "saxpy",
        &[("x", false), ("y", true)],
        8,
        "struct Params { n: u32, a: f32 }
@compute @workgroup_size(64) fn saxpy(@builtin(global_invocation_id) id: vec3u) {
    if id.x < params.n { y[id.x] = params.a * x[id.x] + y[id.x]; }
}",
    )
}

/// out = a + b
pub fn add_kernel() -> KernelInfo {
    kernel(
        "add",
        &[("a", false), ("b", false), ("out", true)],
        4,
        "struct Params { n: u32 }
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3u) {
    if id.x < params.n { out[id.x] = a[id.x] + b[id.x]; }
}",
    )
}

/// y = 3 * y, in place
pub fn triple_kernel() -> KernelInfo {
    kernel(
        "triple",
        &[("y", true)],
        4,
        "struct Params { n: u32 }
@compute @workgroup_size(64) fn triple(@builtin(global_invocation_id) id: vec3u) {
    if id.x < params.n { y[id.x] = 3.0 * y[id.x]; }
}",
    )
}

/// y = FACTOR * y, in place, where FACTOR is set with the pipeline.
pub fn times_kernel() -> KernelInfo {
    let mut kernel = kernel(
        "times",
        &[("y", true)],
        4,
        "override FACTOR: u32 = 3u;
struct Params { n: u32 }
@compute @workgroup_size(64) fn times(@builtin(global_invocation_id) id: vec3u) {
    if id.x < params.n { y[id.x] = f32(FACTOR) * y[id.x]; }
}",
    );
    let factor = Override {
        name: "FACTOR".into(),
        variable: "FACTOR".into(),
        ty: "u32".into(),
        default: 3,
    };
    kernel.overrides = vec![factor].into();
    kernel
}

/// As a generated `launch` would be: inputs borrowed shared, outputs mutably.
pub fn saxpy<H: Clone>(
    x: &Buffer<f32, H>,
    y: &mut Buffer<f32, H>,
    n: u32,
    a: f32,
) -> Result<Dispatch<H>, DispatchError> {
    let params = [n.to_le_bytes(), a.to_le_bytes()].concat();
    dispatch(
        saxpy_kernel(),
        vec![x.handle().clone(), y.handle().clone()],
        &params,
        u64::from(n),
    )
}

/// A dispatch of `kernel` over `threads` invocations.
pub fn dispatch<H>(
    kernel: KernelInfo,
    bindings: Vec<H>,
    params: &[u8],
    threads: u64,
) -> Result<Dispatch<H>, DispatchError> {
    Dispatch::new(
        KernelRef::Shared(Arc::new(kernel)),
        bindings,
        params,
        Extent::Threads([threads, 1, 1]),
    )
}
