//! Whole graphs on every device against the CPU backend.

use std::collections::HashMap;

use kernel_specs::elementwise::op;
use kernel_specs::formats;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rlx_backends::wgpu::{Context, ContextOptions, WgpuBackend};
use rlx_backends::{Backend, BackendError, CpuBackend, Tensor};
use rlx_conformance::product::nmse;
use rlx_conformance::random;
use rlx_core::{DType, Graph, Shape, ValueId};
use rlx_kernels::FormatInfo;

type Weights = HashMap<String, Vec<u8>>;

fn devices() -> Vec<Box<dyn Backend>> {
    [false, true]
        .into_iter()
        .map(|webgpu_defaults| -> Box<dyn Backend> {
            let options = ContextOptions {
                webgpu_defaults,
                ..ContextOptions::default()
            };
            let context =
                Context::new(&options).expect("an adapter; `cargo xtask demo` installs lavapipe");
            Box::new(WgpuBackend::new(context))
        })
        .collect()
}

fn run(
    backend: &dyn Backend,
    graph: &Graph,
    weights: &Weights,
    inputs: &[(&str, Tensor)],
) -> Vec<Vec<f32>> {
    let mut executable = backend.compile(graph, weights).expect("it compiles");
    let outputs = executable.run(inputs).expect("it runs");
    outputs
        .iter()
        .map(|(_, tensor)| tensor.data.as_f32().expect("results are f32").to_vec())
        .collect()
}

/// Runs `graph` on the CPU and on every device, and holds them to one another.
fn agree(graph: &Graph, weights: &Weights, inputs: &[(&str, Tensor)]) {
    let wanted = run(&CpuBackend::new(), graph, weights, inputs);
    for device in devices() {
        let found = run(&*device, graph, weights, inputs);
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_eq!(found.len(), wanted.len());
            let error = nmse(
                found.iter().copied(),
                wanted.iter().map(|value| f64::from(*value)),
            );
            assert!(error <= 1e-10, "NMSE {error:e}");
        }
    }
}

fn random_weight(weights: &mut Weights, name: &str, format: &'static FormatInfo, elems: usize) {
    let bytes = random::blocks(
        format,
        weights.len() as u64 + 7,
        elems / format.elems as usize,
    );
    weights.insert(name.into(), bytes);
}

fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

#[test]
fn a_feed_forward_block_from_token_ids_agrees_with_the_cpu() {
    const K: u64 = 512;
    const HIDDEN: u64 = 768;
    let mut weights = Weights::new();
    let shape = |n, k| Shape::from([n, k]);
    let q4_k = formats::by_name("Q4_K").expect("a format");
    let q6_k = formats::by_name("Q6_K").expect("a format");
    let q8_0 = formats::by_name("Q8_0").expect("a format");
    let f32 = formats::by_name("F32").expect("a format");
    for (name, format, elems) in [
        ("embed", q8_0, 100 * K),
        ("gate", q4_k, HIDDEN * K),
        ("up", q4_k, HIDDEN * K),
        ("down", q6_k, K * HIDDEN),
    ] {
        random_weight(&mut weights, name, format, elems as usize);
    }
    weights.insert(
        "norm".into(),
        f32_bytes(&random::activations(3, K as usize)),
    );

    let build = |graph: &mut Graph, tokens: u64| -> Result<(), Box<dyn std::error::Error>> {
        let ids = graph.input("ids", Shape::from([tokens]), DType::U32)?;
        let embed = graph.weight("embed", shape(100, K), q8_0)?;
        let x = graph.gather_rows(embed, ids)?;
        let norm = graph.weight("norm", Shape::from([K]), f32)?;
        let h = graph.rms_norm(x, norm, 1e-5)?;
        let gate = graph.weight("gate", shape(HIDDEN, K), q4_k)?;
        let up = graph.weight("up", shape(HIDDEN, K), q4_k)?;
        let down = graph.weight("down", shape(K, HIDDEN), q6_k)?;
        let gate = graph.matmul_bt(h, gate)?;
        let up = graph.matmul_bt(h, up)?;
        let gate = graph.elementwise(op("silu").expect("an operator"), &[gate])?;
        let h = graph.elementwise(op("mul").expect("an operator"), &[gate, up])?;
        let h = graph.matmul_bt(h, down)?;
        let y = graph.elementwise(op("add").expect("an operator"), &[x, h])?;
        graph.output("y", y)?;
        Ok(())
    };
    for tokens in [1, 5, 33] {
        let mut graph = Graph::new();
        build(&mut graph, tokens).expect("a legal graph");
        let ids: Vec<u32> = (0..tokens as u32).map(|i| i * 37 % 100).collect();
        agree(
            &graph,
            &weights,
            &[("ids", Tensor::u32(Shape::from([tokens]), ids))],
        );
    }
}

#[test]
fn every_operator_agrees_with_the_cpu_between_minus_and_plus_twelve() {
    let values: Vec<f32> = (-1200..=1200).map(|i| i as f32 / 100.0).collect();
    let len = values.len() as u64;
    for operator in kernel_specs::elementwise::OPS {
        let mut graph = Graph::new();
        let x = graph
            .input("x", Shape::from([len]), DType::F32)
            .expect("an input");
        let args = vec![x; operator.arity];
        let y = graph.elementwise(operator, &args).expect("a legal op");
        graph.output("y", y).expect("an output");
        agree(
            &graph,
            &Weights::new(),
            &[("x", Tensor::f32(Shape::from([len]), values.clone()))],
        );
    }
}

#[test]
fn dequantise_agrees_with_the_cpu_for_lengths_around_a_run_of_eight() {
    for format in formats::ALL.iter().copied() {
        let elems = u64::from(format.elems);
        for blocks in [1, 3, 7, 8, 9, 65] {
            let shape = Shape::from([blocks, elems]);
            let mut weights = Weights::new();
            random_weight(&mut weights, "w", format, (blocks * elems) as usize);
            let mut graph = Graph::new();
            let w = graph.weight("w", shape, format).expect("a weight");
            let y = graph.dequantise(w).expect("a legal op");
            graph.output("y", y).expect("an output");
            agree(&graph, &weights, &[]);
        }
    }
}

#[test]
fn gather_of_a_row_that_is_not_there_names_the_id_on_every_backend() {
    let format = formats::by_name("Q4_0").expect("a format");
    let mut weights = Weights::new();
    random_weight(&mut weights, "w", format, 4 * 32);
    let mut graph = Graph::new();
    let w = graph
        .weight("w", Shape::from([4, 32]), format)
        .expect("a weight");
    let ids = graph
        .input("ids", Shape::from([2]), DType::U32)
        .expect("an input");
    let y = graph.gather_rows(w, ids).expect("a legal op");
    graph.output("y", y).expect("an output");
    let inputs = [("ids", Tensor::u32(Shape::from([2]), vec![3, 4]))];
    let mut backends = devices();
    backends.push(Box::new(CpuBackend::new()));
    for backend in backends {
        let mut executable = backend.compile(&graph, &weights).expect("it compiles");
        let error = executable.run(&inputs).expect_err("row 4 of 4");
        assert!(matches!(error, BackendError::RowId { .. }), "{error}");
    }
}

#[test]
fn middle_axis_broadcasts_agree_with_the_cpu() {
    for (a, b) in [
        (vec![1, 6, 1, 5], vec![1, 6, 7, 5]),
        (vec![6, 1], vec![6, 9]),
        (vec![9], vec![4, 9]),
        (vec![], vec![3, 2]),
        (vec![2, 1, 3], vec![1, 5, 1]),
        (vec![1], vec![1]),
    ] {
        let (a, b) = (Shape::from(a), Shape::from(b));
        let mut graph = Graph::new();
        let x = graph.input("a", a.clone(), DType::F32).expect("an input");
        let y = graph.input("b", b.clone(), DType::F32).expect("an input");
        let sum = graph
            .elementwise(op("add").expect("an operator"), &[x, y])
            .expect("they broadcast");
        let product = graph
            .elementwise(op("mul").expect("an operator"), &[sum, y])
            .expect("they broadcast");
        graph.output("y", product).expect("an output");
        let tensor = |shape: &Shape, seed| {
            let elems = shape.elems().expect("small") as usize;
            Tensor::f32(shape.clone(), random::activations(seed, elems))
        };
        agree(
            &graph,
            &Weights::new(),
            &[("a", tensor(&a, 1)), ("b", tensor(&b, 2))],
        );
    }
}

#[test]
fn an_empty_batch_gives_an_empty_result() {
    let format = formats::by_name("Q4_1").expect("a format");
    let mut weights = Weights::new();
    random_weight(&mut weights, "w", format, 8 * 32);
    let mut graph = Graph::new();
    let x = graph
        .input("x", Shape::from([0, 32]), DType::F32)
        .expect("an input");
    let w = graph
        .weight("w", Shape::from([8, 32]), format)
        .expect("a weight");
    let y = graph.matmul_bt(x, w).expect("a legal op");
    let y = graph
        .elementwise(op("silu").expect("an operator"), &[y])
        .expect("a legal op");
    graph.output("y", y).expect("an output");
    agree(
        &graph,
        &weights,
        &[("x", Tensor::f32(Shape::from([0, 32]), vec![]))],
    );
}

/// A random elementwise graph: the operator and operands of each node, as numbers.
fn random_graph(choices: &[(usize, usize, usize)], shapes: [&[u64]; 3]) -> Graph {
    let mut graph = Graph::new();
    let mut values: Vec<ValueId> = shapes
        .iter()
        .enumerate()
        .map(|(index, shape)| {
            graph
                .input(format!("x{index}"), Shape::from(*shape), DType::F32)
                .expect("an input")
        })
        .collect();
    let ops = kernel_specs::elementwise::OPS;
    for (operator, a, b) in choices {
        let operator = &ops[operator % ops.len()];
        let args: Vec<ValueId> = [*a, *b][..operator.arity]
            .iter()
            .map(|arg| values[arg % values.len()])
            .collect();
        values.push(
            graph
                .elementwise(operator, &args)
                .expect("shapes broadcast"),
        );
    }
    let last = values[values.len() - 1];
    graph.output("y", last).expect("an output");
    graph
}

#[test]
fn random_elementwise_graphs_agree_with_the_cpu() {
    let devices = devices();
    let shapes: [&[u64]; 3] = [&[3, 1, 5], &[4, 5], &[3, 4, 1]];
    let inputs: Vec<(String, Tensor)> = shapes
        .iter()
        .enumerate()
        .map(|(index, shape)| {
            let elems = shape.iter().product::<u64>() as usize;
            (
                format!("x{index}"),
                Tensor::f32(
                    Shape::from(*shape),
                    random::activations(index as u64, elems),
                ),
            )
        })
        .collect();
    let inputs: Vec<(&str, Tensor)> = inputs
        .iter()
        .map(|(name, tensor)| (name.as_str(), tensor.clone()))
        .collect();
    let mut runner = TestRunner::new(Config {
        cases: 48,
        failure_persistence: None,
        ..Config::default()
    });
    let strategy = proptest::collection::vec((0..32_usize, 0..64_usize, 0..64_usize), 1..24);
    runner
        .run(&strategy, |choices| {
            let graph = random_graph(&choices, shapes);
            let wanted = run(&CpuBackend::new(), &graph, &Weights::new(), &inputs);
            for device in &devices {
                let found = run(&**device, &graph, &Weights::new(), &inputs);
                for (found, wanted) in found[0].iter().zip(&wanted[0]) {
                    // Products of sums may grow without bound, and exp is good to 17 ulp.
                    let close = (found - wanted).abs() <= 1e-4 * wanted.abs().max(1e-3);
                    prop_assert!(
                        close || found.is_nan() == wanted.is_nan() && !wanted.is_finite(),
                        "{found} is not {wanted}"
                    );
                }
            }
            Ok(())
        })
        .expect("devices and the CPU agree");
}
