//! The same run again: the same bits, and no more memory.

use std::collections::HashMap;

use kernel_specs::formats;
use rlx_backends::wgpu::{Context, ContextOptions, WgpuBackend};
use rlx_backends::{Backend, Tensor};
use rlx_conformance::backends::{Named, backends};
use rlx_conformance::devices::Outcome;
use rlx_conformance::random;
use rlx_core::{DType, Graph, GraphError, Shape};

const K: u64 = 256;
const EXPERTS: u64 = 4;

/// Every kind of op there is, for `tokens` tokens.
fn graph(tokens: u64) -> Result<Graph, GraphError> {
    let format = |name| formats::by_name(name).expect("a format");
    let operator = |name| kernel_specs::elementwise::op(name).expect("an operator");
    let mut graph = Graph::new();
    let ids = graph.input("ids", [tokens], DType::U32)?;
    let chosen = graph.input("chosen", [tokens, 2], DType::U32)?;
    let weights = graph.input("weights", [tokens, 2], DType::F32)?;
    let embed = graph.weight("embed", [64, K], format("Q6_K"))?;
    let norm = graph.weight("norm", [K], format("F32"))?;
    let gate = graph.weight("gate", [K, K], format("Q4_K"))?;
    let up = graph.weight("up", [EXPERTS, K, K], format("Q4_0"))?;
    let bias = graph.weight("bias", [1, K], format("F16"))?;
    let x = graph.gather_rows(embed, ids)?;
    let h = graph.rms_norm(x, norm, 1e-5)?;
    let gate = graph.matmul_bt(h, gate)?;
    let gate = graph.elementwise(operator("silu"), &[gate])?;
    let up = graph.matmul_experts(h, up, chosen)?;
    let up = graph.combine_experts(up, weights)?;
    let bias = graph.dequantise(bias)?;
    let h = graph.elementwise(operator("mul"), &[gate, up])?;
    let h = graph.elementwise(operator("add"), &[h, bias])?;
    let y = graph.elementwise(operator("add"), &[x, h])?;
    graph.output("y", y)?;
    Ok(graph)
}

fn weights() -> HashMap<String, Vec<u8>> {
    let sizes = [
        ("embed", "Q6_K", 64 * K),
        ("norm", "F32", K),
        ("gate", "Q4_K", K * K),
        ("up", "Q4_0", EXPERTS * K * K),
        ("bias", "F16", K),
    ];
    let all = sizes
        .into_iter()
        .zip(1..)
        .map(|((name, format, elems), seed)| {
            let format = formats::by_name(format).expect("a format");
            let blocks = elems as usize / format.elems as usize;
            (name.to_owned(), random::blocks(format, seed, blocks))
        });
    all.collect()
}

fn inputs(tokens: usize) -> [(&'static str, Tensor); 3] {
    let shape = [tokens as u64, 2];
    [
        (
            "ids",
            Tensor::u32(Shape::from([tokens as u64]), random::ids(1, tokens, 64)),
        ),
        (
            "chosen",
            Tensor::u32(
                Shape::from(shape),
                random::ids(2, tokens * 2, EXPERTS as u32),
            ),
        ),
        (
            "weights",
            Tensor::f32(Shape::from(shape), random::activations(3, tokens * 2)),
        ),
    ]
}

#[test]
fn a_hundred_runs_give_the_same_bits() -> Outcome {
    for Named { name, backend, .. } in backends(None)? {
        for tokens in [1, 8, 33] {
            let mut executable = backend.compile(&graph(tokens as u64)?, &weights())?;
            let mut bits: Option<Vec<u32>> = None;
            for run in 0..100 {
                let outputs = executable.run(&inputs(tokens))?;
                let found = outputs[0].1.data.as_f32().ok_or("no f32")?;
                assert!(found.iter().all(|value| value.is_finite()));
                let found: Vec<u32> = found.iter().map(|value| value.to_bits()).collect();
                let bits = bits.get_or_insert_with(|| found.clone());
                assert!(*bits == found, "run {run} with {tokens} tokens on {name}");
            }
        }
    }
    Ok(())
}

/// Bytes of the process in memory.
fn resident_bytes() -> Outcome<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm")?;
    let pages: u64 = statm.split_whitespace().nth(1).ok_or("no pages")?.parse()?;
    Ok(pages * 4096)
}

#[test]
fn a_thousand_runs_keep_the_memory_of_host_and_device_flat() -> Outcome {
    let context = Context::new(&ContextOptions::default())?;
    let backend = WgpuBackend::new(context.clone());
    let mut executable = backend.compile(&graph(8)?, &weights())?;
    let inputs = inputs(8);
    for _ in 0..200 {
        executable.run(&inputs)?;
    }
    let (before, device) = (resident_bytes()?, context.resources()?);
    for _ in 0..1000 {
        executable.run(&inputs)?;
    }
    assert_eq!(context.resources()?, device);
    let grown = resident_bytes()?.saturating_sub(before);
    // A thousand of the smallest results would be eight times as much.
    assert!(grown < 1 << 20, "{grown} bytes more on the host");
    Ok(())
}
