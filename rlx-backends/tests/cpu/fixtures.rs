//! Formats, operators and weights for the tests.

use std::collections::HashMap;

use half::f16;
use rlx_backends::{Backend, BackendError, CpuBackend, Tensor, TensorData};
use rlx_core::Graph;
use rlx_kernels::{ElementwiseOp, FormatInfo};

pub static F32: FormatInfo = FormatInfo {
    name: "F32",
    ggml_type: 0,
    elems: 1,
    bytes: 4,
    file: "",
    line: 0,
    decode: decode_f32,
};
pub static Q8_0: FormatInfo = FormatInfo {
    name: "Q8_0",
    ggml_type: 8,
    elems: 32,
    bytes: 34,
    file: "",
    line: 0,
    decode: decode_q8_0,
};

pub static ADD: ElementwiseOp = ElementwiseOp {
    name: "add",
    arity: 2,
    wgsl: &[],
    twin: &[],
    apply: |v| v[0] + v[1],
};
pub static SUB: ElementwiseOp = ElementwiseOp {
    name: "sub",
    arity: 2,
    wgsl: &[],
    twin: &[],
    apply: |v| v[0] - v[1],
};
pub static MUL: ElementwiseOp = ElementwiseOp {
    name: "mul",
    arity: 2,
    wgsl: &[],
    twin: &[],
    apply: |v| v[0] * v[1],
};
pub static SILU: ElementwiseOp = ElementwiseOp {
    name: "silu",
    arity: 1,
    wgsl: &[],
    twin: &[],
    apply: |v| v[0] / (1.0 + (-v[0]).exp()),
};
pub static SELECT: ElementwiseOp = ElementwiseOp {
    name: "select",
    arity: 3,
    wgsl: &[],
    twin: &[],
    apply: |v| if v[0] > 0.0 { v[1] } else { v[2] },
};

fn decode_f32(bytes: &[u8], weights: &mut [f32]) {
    let (bytes, _) = bytes.as_chunks::<4>();
    for (weight, bytes) in weights.iter_mut().zip(bytes) {
        *weight = f32::from_le_bytes(*bytes);
    }
}

fn decode_q8_0(bytes: &[u8], weights: &mut [f32]) {
    for (block, weights) in bytes.chunks_exact(34).zip(weights.chunks_exact_mut(32)) {
        let d = f16::from_le_bytes([block[0], block[1]]).to_f32();
        for (weight, &q) in weights.iter_mut().zip(&block[2..]) {
            *weight = d * f32::from(q as i8);
        }
    }
}

/// The bytes of a weight in F32.
pub fn f32_bytes(weights: &[f32]) -> Vec<u8> {
    weights
        .iter()
        .flat_map(|weight| weight.to_le_bytes())
        .collect()
}

/// A block of Q8_0.
pub fn q8_0_block(d: f32, q: [i8; 32]) -> Vec<u8> {
    f16::from_f32(d)
        .to_le_bytes()
        .into_iter()
        .chain(q.map(|q| q as u8))
        .collect()
}

/// Weights by name.
pub fn weights<const N: usize>(weights: [(&str, Vec<u8>); N]) -> HashMap<String, Vec<u8>> {
    weights
        .into_iter()
        .map(|(name, bytes)| (name.to_string(), bytes))
        .collect()
}

/// Compiles and runs `graph` once.
pub fn run(
    graph: &Graph,
    weights: &HashMap<String, Vec<u8>>,
    inputs: &[(&str, Tensor)],
) -> Result<Vec<(String, Tensor)>, BackendError> {
    CpuBackend::new().compile(graph, weights)?.run(inputs)
}

/// The first output of a run that must succeed.
pub fn first(
    graph: &Graph,
    weights: &HashMap<String, Vec<u8>>,
    inputs: &[(&str, Tensor)],
) -> Tensor {
    run(graph, weights, inputs).unwrap().remove(0).1
}

/// The elements of an f32 tensor.
pub fn values(tensor: &Tensor) -> &[f32] {
    match &tensor.data {
        TensorData::F32(values) => values,
        TensorData::U32(_) => panic!("expected f32, found u32"),
    }
}
