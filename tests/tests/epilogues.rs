//! Elementwise regions as the ends of products, on every backend.

use std::collections::HashMap;

use kernel_specs::formats;
use rlx_backends::Tensor;
use rlx_conformance::backends::{Named, backends};
use rlx_conformance::cases::everything;
use rlx_conformance::devices::Outcome;
use rlx_conformance::product::nmse;
use rlx_conformance::random;
use rlx_core::{
    DType, Graph, GraphError, LowerOptions, Precision, Program, Shape, ValueId, fuse_regions, lower,
};
use rlx_kernels::{ElementwiseOp, FormatInfo};

const N: u64 = 67;

fn op(name: &str) -> &'static ElementwiseOp {
    kernel_specs::elementwise::op(name).expect("an operator")
}

fn format(name: &str) -> &'static FormatInfo {
    formats::by_name(name).expect("a format")
}

fn row_length(format: &FormatInfo) -> u64 {
    u64::from(2 * format.elems).max(32)
}

/// What lies behind a product.
type Behind = fn(&mut Graph, ValueId, u64) -> Result<ValueId, GraphError>;

/// Epilogues by what they are.
const BEHIND: [(&str, Behind); 6] = [
    ("an activation", |graph, y, _| {
        graph.elementwise(op("silu"), &[y])
    }),
    ("a bias and an activation", |graph, y, _| {
        let bias = graph.input("bias", [N], DType::F32)?;
        let y = graph.elementwise(op("add"), &[y, bias])?;
        graph.elementwise(op("gelu"), &[y])
    }),
    ("a residual", |graph, y, m| {
        let residual = graph.input("residual", [m, N], DType::F32)?;
        graph.elementwise(op("add"), &[residual, y])
    }),
    ("gate times up", |graph, y, m| {
        let gate = graph.input("gate", [m, N], DType::F32)?;
        let gate = graph.elementwise(op("silu"), &[gate])?;
        graph.elementwise(op("mul"), &[gate, y])
    }),
    ("a scale a row and one for all", |graph, y, m| {
        let row = graph.input("row", [m, 1], DType::F32)?;
        let all = graph.input("all", [1], DType::F32)?;
        let y = graph.elementwise(op("mul"), &[y, row])?;
        graph.elementwise(op("mul"), &[y, all])
    }),
    ("its own square", |graph, y, _| {
        graph.elementwise(op("mul"), &[y, y])
    }),
];

/// A product of `m` rows with `behind` behind it.
fn graph(format: &'static FormatInfo, m: u64, behind: Behind) -> Result<Graph, GraphError> {
    let k = row_length(format);
    let mut graph = Graph::new();
    let x = graph.input("x", [m, k], DType::F32)?;
    let w = graph.weight("w", [N, k], format)?;
    let y = graph.matmul_bt(x, w)?;
    let y = behind(&mut graph, y, m)?;
    graph.output("y", y)?;
    Ok(graph)
}

/// The same of a product with experts, whose result is a matrix for the region too.
fn experts_graph(format: &'static FormatInfo, tokens: u64) -> Result<Graph, GraphError> {
    let k = row_length(format);
    let mut graph = Graph::new();
    let x = graph.input("x", [tokens, k], DType::F32)?;
    let ids = graph.input("ids", [tokens, 2], DType::U32)?;
    let gate = graph.input("gate", [tokens, 2, N], DType::F32)?;
    let w = graph.weight("w", [5, N, k], format)?;
    let y = graph.matmul_experts(x, w, ids)?;
    let gate = graph.elementwise(op("silu"), &[gate])?;
    let y = graph.elementwise(op("mul"), &[gate, y])?;
    graph.output("y", y)?;
    Ok(graph)
}

fn labels(program: &Program) -> Vec<String> {
    let labels = program.dispatches.iter().map(|run| run.kernel.label());
    labels.collect()
}

/// Random values for all inputs of `graph`.
fn inputs(graph: &Graph) -> Vec<(String, Tensor)> {
    let inputs = graph.nodes().iter().zip(1..).filter_map(|(node, seed)| {
        let rlx_core::Op::Input { name } = &node.op else {
            return None;
        };
        let elems = node.shape.elems().expect("small") as usize;
        let shape = Shape::from(node.shape.dims());
        let tensor = match node.dtype {
            rlx_core::Elem::Dense(DType::U32) => Tensor::u32(shape, random::ids(seed, elems, 5)),
            _ => Tensor::f32(shape, random::activations(seed, elems)),
        };
        Some((name.clone(), tensor))
    });
    inputs.collect()
}

fn weights(format: &FormatInfo, matrices: u64) -> HashMap<String, Vec<u8>> {
    let elems = matrices * N * row_length(format);
    let blocks = random::blocks(format, 9, elems as usize / format.elems as usize);
    HashMap::from([("w".to_owned(), blocks)])
}

/// Holds all backends to the CPU, the first of them.
fn agree(
    backends: &[Named],
    graph: &Graph,
    weights: &HashMap<String, Vec<u8>>,
    what: &str,
) -> Outcome {
    let inputs = inputs(graph);
    let inputs: Vec<(&str, Tensor)> = inputs
        .iter()
        .map(|(name, tensor)| (name.as_str(), tensor.clone()))
        .collect();
    let mut wanted: Option<Vec<f32>> = None;
    for Named {
        name,
        backend,
        bound,
    } in backends
    {
        let outputs = backend.compile(graph, weights)?.run(&inputs)?;
        let found = outputs[0].1.data.as_f32().ok_or("no f32")?;
        let wanted = wanted.get_or_insert_with(|| found.to_vec());
        assert_eq!(found.len(), wanted.len());
        let error = nmse(
            found.iter().copied(),
            wanted.iter().map(|value| f64::from(*value)),
        );
        // An activation may stretch what is rounded.
        assert!(error <= 10.0 * bound, "{what} on {name}: NMSE {error:e}");
    }
    Ok(())
}

#[test]
fn every_product_takes_every_epilogue() -> Outcome {
    for format in formats::ALL.iter().copied() {
        for precision in [Precision::Exact, Precision::Half, Precision::Int8] {
            let full = LowerOptions {
                precision,
                ..everything()
            };
            for options in [full, LowerOptions::default()] {
                for m in [1, 33] {
                    for (what, behind) in BEHIND {
                        let (graph, _) = fuse_regions(&graph(format, m, behind)?);
                        let labels = labels(&lower(&graph, &options)?);
                        let last = labels.last().ok_or("no dispatch")?;
                        assert!(
                            last.contains(" + "),
                            "{what} of {}: {labels:?}",
                            format.name
                        );
                        assert!(!labels.iter().any(|label| label.starts_with("region")));
                    }
                    let (graph, _) = fuse_regions(&experts_graph(format, m)?);
                    let labels = labels(&lower(&graph, &options)?);
                    let last = labels.last().ok_or("no dispatch")?;
                    assert!(
                        last.contains("experts") && last.ends_with(" + silu mul"),
                        "{labels:?}"
                    );
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_product_with_an_epilogue_agrees_with_the_cpu() -> Outcome {
    let backends = backends(None)?;
    for name in ["F32", "Q4_0", "Q4_K", "IQ4_XS"] {
        let format = format(name);
        for m in [1, 3, 9, 33] {
            for (what, behind) in BEHIND {
                let what = format!("{what} behind {name} with m {m}");
                agree(
                    &backends,
                    &graph(format, m, behind)?,
                    &weights(format, 1),
                    &what,
                )?;
            }
            let what = format!("experts of {name} with m {m}");
            agree(
                &backends,
                &experts_graph(format, m)?,
                &weights(format, 5),
                &what,
            )?;
        }
    }
    Ok(())
}

/// The labels of what `graph` lowers to where products take epilogues.
fn lowered(graph: &Graph) -> Outcome<Vec<String>> {
    let (graph, _) = fuse_regions(graph);
    Ok(labels(&lower(&graph, &LowerOptions::default())?))
}

#[test]
fn a_product_that_others_read_stays_whole() -> Outcome {
    let format = format("Q4_0");
    // An output too.
    let mut graph = Graph::new();
    let x = graph.input("x", [3, 32], DType::F32)?;
    let w = graph.weight("w", [N, 32], format)?;
    let y = graph.matmul_bt(x, w)?;
    let z = graph.elementwise(op("silu"), &[y])?;
    graph.output("y", y)?;
    graph.output("z", z)?;
    assert_eq!(lowered(&graph)?, ["gemv::Q4_0, F32", "region_silu"]);

    // A result of another shape.
    let mut graph = Graph::new();
    let x = graph.input("x", [1, 32], DType::F32)?;
    let many = graph.input("many", [5, N], DType::F32)?;
    let w = graph.weight("w", [N, 32], format)?;
    let y = graph.matmul_bt(x, w)?;
    let y = graph.elementwise(op("add"), &[y, many])?;
    graph.output("y", y)?;
    assert_eq!(lowered(&graph)?, ["gemv::Q4_0, F32", "region_add"]);
    Ok(())
}

#[test]
fn what_passes_the_bindings_of_a_kernel_stays_a_region() -> Outcome {
    let format = format("Q4_0");
    for (others, is_end) in [(5, true), (6, false)] {
        let mut graph = Graph::new();
        let x = graph.input("x", [9, 32], DType::F32)?;
        let w = graph.weight("w", [N, 32], format)?;
        let mut y = graph.matmul_bt(x, w)?;
        for other in 0..others {
            let other = graph.input(format!("other{other}"), [9, N], DType::F32)?;
            y = graph.elementwise(op("add"), &[y, other])?;
        }
        graph.output("y", y)?;
        assert_eq!(lowered(&graph)?.len(), if is_end { 1 } else { 2 });
        agree(
            &backends(None)?,
            &graph,
            &HashMap::from([("w".to_owned(), random::blocks(format, 3, N as usize))]),
            &format!("{others} other values"),
        )?;
    }
    Ok(())
}

#[test]
fn of_two_products_the_later_takes_the_epilogue() -> Outcome {
    let format = format("Q4_0");
    let mut graph = Graph::new();
    let x = graph.input("x", [3, 32], DType::F32)?;
    let w = graph.weight("w", [N, 32], format)?;
    let gate = graph.matmul_bt(x, w)?;
    let v = graph.elementwise(op("silu"), &[x])?;
    let up = graph.matmul_bt(v, w)?;
    let gate = graph.elementwise(op("silu"), &[gate])?;
    let y = graph.elementwise(op("mul"), &[gate, up])?;
    graph.output("y", y)?;
    assert_eq!(
        lowered(&graph)?,
        [
            "gemv::Q4_0, F32",
            "region_silu",
            "gemv::Q4_0, F32 + silu mul"
        ]
    );
    let weights = HashMap::from([("w".to_owned(), random::blocks(format, 3, N as usize))]);
    agree(&backends(None)?, &graph, &weights, "gate and up")
}

#[test]
fn the_text_of_a_product_with_an_epilogue_is_its_own_with_a_function_more() -> Outcome {
    let (_, behind) = BEHIND[1];
    let (graph, _) = fuse_regions(&graph(format("Q4_0"), 33, behind)?);
    let program = lower(&graph, &LowerOptions::default())?;
    let kernel = &program.dispatches[0].kernel;
    assert!(kernel.proof.is_of(kernel) && kernel.proof.holds_for_indices());
    let text = &kernel.wgsl;
    let own = kernel_specs::matmul::matmul_bt::matmul_bt::instance("Q4_0").ok_or("no kernel")?;
    let added: Vec<&str> = text
        .lines()
        .filter(|line| !line.is_empty() && !own.wgsl.lines().any(|other| other == *line))
        .collect();
    let mut added = added.join("\n");
    // The same for each of the tile's stores.
    let stores = added.find("y[").ok_or("no store")?;
    added.truncate(stores + added[stores..].find('\n').ok_or("one store")?);
    insta::assert_snapshot!(added, @r"
    @group(0) @binding(3) var<storage, read> other1: array<f32>;
    @group(0) @binding(4) var<uniform> params: Params;
    fn add(a: f32, b: f32) -> f32 {
        return a + b;
    fn erf(x: f32) -> f32 {
        let a = abs(x);
        let t = 1.0 / (1.0 + 0.3275911 * a);
        let poly = t * (0.2548296 + t * (-0.28449674 + t * (1.4214137 + t * (-1.453152 + t * 1.0614054))));
        let y = 1.0 - poly * exp(-a * a);
        if x < 0.0 {
            return -y;
        return y;
    fn gelu(x: f32) -> f32 {
        return 0.5 * x * (1.0 + erf(x * 0.70710677));
    fn epilogue(product: f32, at: u32) -> f32 {
        let v1 = other1[at % 67u];
        let add_2 = add(product, v1);
        let gelu_3 = gelu(add_2);
        return gelu_3;
                        y[out * params.n + at] = epilogue(sums[0].x, out * params.n + at);
    ");
    Ok(())
}
