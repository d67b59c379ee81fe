//! What the graph's builders take and refuse, and what `verify` finds in a graph that they did not
//! make.

use rlx_core::{
    DType, Elem, Graph, GraphError, Node, Op, Region, Shape, Step, ValueId, VerifyError, verify,
};
use rlx_kernels::{ElementwiseOp, FormatInfo};

fn no_decode(_: &[u8], _: &mut [f32]) {}

static F32: FormatInfo = FormatInfo {
    name: "F32",
    ggml_type: 0,
    elems: 1,
    bytes: 4,
    file: "",
    line: 0,
    decode: no_decode,
};
static Q8_0: FormatInfo = FormatInfo {
    name: "Q8_0",
    ggml_type: 8,
    elems: 32,
    bytes: 34,
    file: "",
    line: 0,
    decode: no_decode,
};
static ADD: ElementwiseOp = ElementwiseOp {
    name: "add",
    arity: 2,
    wgsl: &[],
    twin: &[],
    apply: |v| v[0] + v[1],
};
static NEG: ElementwiseOp = ElementwiseOp {
    name: "neg",
    arity: 1,
    wgsl: &[],
    twin: &[],
    apply: |v| -v[0],
};

fn f32_input(graph: &mut Graph, name: &str, dims: &[u64]) -> ValueId {
    graph.input(name, dims, DType::F32).unwrap()
}

fn shape_of(graph: &Graph, id: ValueId) -> &[u64] {
    graph.node(id).unwrap().shape.dims()
}

/// One node of every operator.
fn model() -> Graph {
    let mut graph = Graph::new();
    let ids = graph.input("ids", [5], DType::U32).unwrap();
    let embedding = graph.weight("embedding", [10, 64], &Q8_0).unwrap();
    let norm = graph.weight("norm", [64], &F32).unwrap();
    let bias = graph.weight("bias", [10], &F32).unwrap();
    let x = graph.gather_rows(embedding, ids).unwrap();
    let normed = graph.rms_norm(x, norm, 1e-5).unwrap();
    let logits = graph.matmul_bt(normed, embedding).unwrap();
    let bias = graph.dequantise(bias).unwrap();
    let sum = graph.elementwise(&ADD, &[logits, bias]).unwrap();
    let steps = vec![
        Step {
            op: &NEG,
            operands: vec![0],
        },
        Step {
            op: &ADD,
            operands: vec![0, 1],
        },
    ];
    let region = graph.region(Region { steps }, &[sum]).unwrap();
    graph.output("logits", sum).unwrap();
    graph.output("zero", region).unwrap();
    graph
}

/// The model with node `node` changed.
fn changed(node: usize, change: impl FnOnce(&mut Node)) -> Result<(), VerifyError> {
    let graph = model();
    let mut nodes = graph.nodes().to_vec();
    change(&mut nodes[node]);
    verify(&Graph::from_parts(nodes, graph.outputs().to_vec()))
}

#[test]
fn builders_make_a_legal_graph_with_the_implied_shapes() {
    let graph = model();
    assert_eq!(verify(&graph), Ok(()));
    let shapes: Vec<_> = graph
        .nodes()
        .iter()
        .map(|node| node.shape.dims().to_vec())
        .collect();
    let expected: [&[u64]; 10] = [
        &[5],
        &[10, 64],
        &[64],
        &[10],
        &[5, 64],
        &[5, 64],
        &[5, 10],
        &[10],
        &[5, 10],
        &[5, 10],
    ];
    assert_eq!(shapes, expected);
}

#[test]
fn matmul_keeps_the_batch_dimensions() {
    let mut graph = Graph::new();
    let x = f32_input(&mut graph, "x", &[2, 3, 7, 64]);
    let w = graph.weight("w", [9, 64], &Q8_0).unwrap();
    let y = graph.matmul_bt(x, w).unwrap();
    assert_eq!(shape_of(&graph, y), [2, 3, 7, 9]);
}

#[test]
fn matmul_names_node_operator_and_shapes_where_k_differs() {
    let mut graph = Graph::new();
    let x = f32_input(&mut graph, "x", &[2, 32]);
    let w = graph.weight("w", [9, 64], &Q8_0).unwrap();
    let error = graph.matmul_bt(x, w).unwrap_err();
    let expected = "%2 = matmul_bt(%0, %1): the last extents of x [2, 32] and w [9, 64] must agree";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn matmul_refuses_a_dense_w_and_a_vector_x() {
    let mut graph = Graph::new();
    let x = f32_input(&mut graph, "x", &[32]);
    let w = graph.weight("w", [9, 32], &Q8_0).unwrap();
    let error = graph.matmul_bt(x, x).unwrap_err();
    assert_eq!(
        error.to_string(),
        "%2 = matmul_bt(%0, %0): w must be a weight, found %0, f32"
    );
    let error = graph.matmul_bt(x, w).unwrap_err();
    assert_eq!(
        error.to_string(),
        "%2 = matmul_bt(%0, %1): x must be [.., m, k], found [32]"
    );
}

#[test]
fn gather_refuses_ids_that_are_not_u32() {
    let mut graph = Graph::new();
    let ids = f32_input(&mut graph, "ids", &[3]);
    let w = graph.weight("w", [9, 32], &Q8_0).unwrap();
    let error = graph.gather_rows(w, ids).unwrap_err();
    assert_eq!(
        error.to_string(),
        "%2 = gather_rows(%1, %0): ids must be u32, found %0, f32"
    );
}

#[test]
fn norm_refuses_a_quantised_weight_another_width_and_a_bad_eps() {
    let mut graph = Graph::new();
    let x = f32_input(&mut graph, "x", &[2, 32]);
    let q8 = graph.weight("q8", [32], &Q8_0).unwrap();
    let short = graph.weight("short", [31], &F32).unwrap();
    let good = graph.weight("good", [32], &F32).unwrap();
    let message = |result: Result<ValueId, GraphError>| result.unwrap_err().to_string();
    assert_eq!(
        message(graph.rms_norm(x, q8, 0.0)),
        "%4 = rms_norm(%0, %1): weight must be a weight in F32, found Q8_0"
    );
    assert_eq!(
        message(graph.rms_norm(x, short, 0.0)),
        "%4 = rms_norm(%0, %2): the last extents of x [2, 32] and weight [31] must agree"
    );
    for eps in [-1e-6, f32::NAN, f32::INFINITY] {
        assert!(matches!(
            graph.rms_norm(x, good, eps),
            Err(GraphError::Eps { .. })
        ));
    }
}

#[test]
fn elementwise_refuses_the_wrong_number_of_operands_and_shapes_that_do_not_broadcast() {
    let mut graph = Graph::new();
    let a = f32_input(&mut graph, "a", &[2, 3]);
    let b = f32_input(&mut graph, "b", &[2]);
    let error = graph.elementwise(&ADD, &[a]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "%2 = add(%0): the operator takes 2 operands, 1 were given"
    );
    let error = graph.elementwise(&ADD, &[a, b]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "%2 = add(%0, %1): shapes [2, 3] and [2] do not broadcast: two extents differ and neither is 1"
    );
}

#[test]
fn a_weight_row_must_be_whole_blocks() {
    let error = Graph::new().weight("w", [2, 48], &Q8_0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "%0 = weight `w`: shape [2, 48] is no whole number of Q8_0 blocks of 32 weights"
    );
}

#[test]
fn a_weight_has_one_to_three_extents_and_none_is_zero() {
    for dims in [&[][..], &[0, 32], &[2, 0, 32], &[2, 2, 2, 32]] {
        assert!(matches!(
            Graph::new().weight("w", dims, &Q8_0),
            Err(GraphError::Operand { .. })
        ));
    }
}

#[test]
fn names_are_not_empty_and_unique_among_their_kind() {
    let mut graph = Graph::new();
    let x = f32_input(&mut graph, "x", &[1]);
    graph.weight("x", [1], &F32).unwrap();
    graph.output("x", x).unwrap();
    let duplicate = |kind| GraphError::DuplicateName {
        kind,
        name: "x".into(),
    };
    assert_eq!(graph.input("x", [1], DType::F32), Err(duplicate("input")));
    assert_eq!(graph.weight("x", [1], &F32), Err(duplicate("weight")));
    assert_eq!(graph.output("x", x), Err(duplicate("output")));
    assert_eq!(
        graph.output("", x),
        Err(GraphError::EmptyName { kind: "output" })
    );
}

#[test]
fn sizes_past_64_bits_are_errors_that_name_the_node() {
    let mut graph = Graph::new();
    let error = graph
        .input("x", [1 << 40, 1 << 40], DType::F32)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "%0 = input `x`: shape [1099511627776, 1099511627776] has more than 2^64 - 1 elements"
    );
    let column = f32_input(&mut graph, "column", &[1 << 40, 1]);
    let row = f32_input(&mut graph, "row", &[1 << 40]);
    assert!(matches!(
        graph.elementwise(&ADD, &[column, row]),
        Err(GraphError::Shape { .. })
    ));
}

#[test]
fn an_output_is_a_dense_value_of_the_graph() {
    let mut graph = Graph::new();
    let w = graph.weight("w", [32], &Q8_0).unwrap();
    let is_weight = GraphError::OutputIsWeight {
        name: "y".into(),
        value: w,
    };
    assert_eq!(graph.output("y", w), Err(is_weight));
    let missing = GraphError::NoSuchValue {
        value: ValueId(7),
        nodes: 1,
    };
    assert_eq!(graph.output("y", ValueId(7)), Err(missing));
}

#[test]
fn verify_finds_a_node_that_reads_a_later_one() {
    let order = GraphError::Order {
        node: ValueId(7),
        op: "dequantise(%8)".into(),
        value: ValueId(8),
    };
    assert_eq!(
        changed(7, |node| node.op = Op::Dequantise { w: ValueId(8) }),
        Err(order.into())
    );
}

#[test]
fn verify_finds_a_node_that_reads_itself() {
    let found = changed(7, |node| node.op = Op::Dequantise { w: ValueId(7) });
    assert!(matches!(
        found,
        Err(VerifyError::Graph(GraphError::Order { .. }))
    ));
}

#[test]
fn verify_finds_a_shape_that_the_operator_does_not_imply() {
    let error = changed(6, |node| node.shape = Shape::from([10, 5])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "%6 = matmul_bt(%5, %1): the operator gives f32 of shape [5, 10], the node says f32 of shape [10, 5]"
    );
}

#[test]
fn verify_finds_a_dtype_that_the_operator_does_not_imply() {
    assert!(matches!(
        changed(6, |node| node.dtype = Elem::U32),
        Err(VerifyError::Implied { .. })
    ));
}

#[test]
fn verify_finds_an_input_that_is_a_weight() {
    let found = changed(0, |node| node.dtype = Elem::Weight(&F32));
    assert!(matches!(
        found,
        Err(VerifyError::Graph(GraphError::Operand { .. }))
    ));
}

#[test]
fn verify_finds_names_that_repeat() {
    let found = changed(2, |node| {
        node.op = Op::Weight {
            name: "embedding".into(),
        }
    });
    assert!(matches!(
        found,
        Err(VerifyError::Graph(GraphError::DuplicateName {
            kind: "weight",
            ..
        }))
    ));
    let graph = model();
    let outputs = vec![("y".into(), ValueId(6)), ("y".into(), ValueId(8))];
    let found = verify(&Graph::from_parts(graph.nodes().to_vec(), outputs));
    assert!(matches!(
        found,
        Err(VerifyError::Graph(GraphError::DuplicateName {
            kind: "output",
            ..
        }))
    ));
}

#[test]
fn verify_finds_missing_outputs() {
    let nodes = model().nodes().to_vec();
    let found = verify(&Graph::from_parts(nodes.clone(), Vec::new()));
    assert_eq!(found, Err(VerifyError::NoOutputs));
    let found = verify(&Graph::from_parts(nodes, vec![("y".into(), ValueId(99))]));
    assert!(matches!(
        found,
        Err(VerifyError::Graph(GraphError::NoSuchValue { .. }))
    ));
}
