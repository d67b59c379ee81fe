//! What the regions pass fuses and what it leaves, and what a region may be. That values are the same is tested with the CPU
//! backend.

use rlx_core::{DType, Graph, GraphError, Op, Region, Step, ValueId, fuse_regions, verify};
use rlx_kernels::{ElementwiseOp, FormatInfo};

static F32: FormatInfo = FormatInfo {
    name: "F32",
    ggml_type: 0,
    elems: 1,
    bytes: 4,
    file: "",
    line: 0,
    decode: |_, _| {},
};
static ADD: ElementwiseOp = ElementwiseOp {
    name: "add",
    arity: 2,
    wgsl: &[],
    twin: &[],
    apply: |v| v[0] + v[1],
};
static MUL: ElementwiseOp = ElementwiseOp {
    name: "mul",
    arity: 2,
    wgsl: &[],
    twin: &[],
    apply: |v| v[0] * v[1],
};
static SILU: ElementwiseOp = ElementwiseOp {
    name: "silu",
    arity: 1,
    wgsl: &[],
    twin: &[],
    apply: |v| v[0] / (1.0 + (-v[0]).exp()),
};

fn inputs<const N: usize>(graph: &mut Graph, shapes: [&[u64]; N]) -> [ValueId; N] {
    let mut i = 0;
    shapes.map(|dims| {
        i += 1;
        graph.input(format!("x{i}"), dims, DType::F32).unwrap()
    })
}

/// The operators after the inputs, as text, and the number that the pass says.
fn fused(graph: &Graph) -> (Vec<String>, usize) {
    assert_eq!(verify(graph), Ok(()));
    let (fused, saved) = fuse_regions(graph);
    assert_eq!(verify(&fused), Ok(()));
    let ops = fused
        .nodes()
        .iter()
        .filter(|node| !matches!(node.op, Op::Input { .. }));
    (ops.map(|node| node.op.to_string()).collect(), saved)
}

#[test]
fn a_chain_becomes_one_region() {
    let mut graph = Graph::new();
    let [gate, up] = inputs(&mut graph, [&[2, 8], &[2, 8]]);
    let silu = graph.elementwise(&SILU, &[gate]).unwrap();
    let y = graph.elementwise(&MUL, &[silu, up]).unwrap();
    graph.output("y", y).unwrap();
    assert_eq!(fused(&graph), (vec!["region[silu mul](%0, %1)".into()], 1));
    let steps = vec![
        Step {
            op: &SILU,
            operands: vec![0],
        },
        Step {
            op: &MUL,
            operands: vec![2, 1],
        },
    ];
    let (fused, _) = fuse_regions(&graph);
    assert!(
        matches!(&fused.nodes()[2].op, Op::Region { region, .. } if *region == Region { steps })
    );
}

#[test]
fn a_value_read_twice_inside_its_region_is_computed_once() {
    let mut graph = Graph::new();
    let [x] = inputs(&mut graph, [&[8]]);
    let silu = graph.elementwise(&SILU, &[x]).unwrap();
    let square = graph.elementwise(&MUL, &[silu, silu]).unwrap();
    let y = graph.elementwise(&ADD, &[square, silu]).unwrap();
    graph.output("y", y).unwrap();
    assert_eq!(fused(&graph), (vec!["region[silu mul add](%0)".into()], 2));
}

#[test]
fn an_output_is_the_result_of_its_region() {
    let mut graph = Graph::new();
    let [x] = inputs(&mut graph, [&[8]]);
    let a = graph.elementwise(&SILU, &[x]).unwrap();
    let b = graph.elementwise(&SILU, &[a]).unwrap();
    let c = graph.elementwise(&SILU, &[b]).unwrap();
    graph.output("b", b).unwrap();
    graph.output("c", c).unwrap();
    assert_eq!(
        fused(&graph),
        (vec!["region[silu silu](%0)".into(), "silu(%1)".into()], 1)
    );
}

#[test]
fn a_value_read_by_two_regions_stays_outside_both() {
    let mut graph = Graph::new();
    let [x] = inputs(&mut graph, [&[8]]);
    let shared = graph.elementwise(&SILU, &[x]).unwrap();
    let a = graph.elementwise(&SILU, &[shared]).unwrap();
    let b = graph.elementwise(&ADD, &[shared, x]).unwrap();
    graph.output("a", a).unwrap();
    graph.output("b", b).unwrap();
    assert_eq!(
        fused(&graph),
        (
            vec!["silu(%0)".into(), "silu(%1)".into(), "add(%1, %0)".into()],
            0
        )
    );
}

#[test]
fn a_value_of_another_shape_stays_outside() {
    let mut graph = Graph::new();
    let [x, row] = inputs(&mut graph, [&[2, 8], &[8]]);
    let silu = graph.elementwise(&SILU, &[row]).unwrap();
    let y = graph.elementwise(&ADD, &[x, silu]).unwrap();
    graph.output("y", y).unwrap();
    assert_eq!(
        fused(&graph),
        (vec!["silu(%1)".into(), "add(%0, %2)".into()], 0)
    );
}

#[test]
fn a_region_reads_at_most_seven_values() {
    let mut graph = Graph::new();
    let values = inputs(&mut graph, [&[4]; 9]);
    let mut sum = values[0];
    for value in &values[1..] {
        sum = graph.elementwise(&ADD, &[sum, *value]).unwrap();
    }
    graph.output("sum", sum).unwrap();
    let expected = vec![
        "region[add add](%0, %1, %2)".into(),
        "region[add add add add add add](%3, %4, %5, %6, %7, %8, %9)".into(),
    ];
    assert_eq!(fused(&graph), (expected, 6));
}

#[test]
fn a_value_that_a_norm_or_matmul_reads_is_the_result_of_its_region() {
    let mut graph = Graph::new();
    let [x, y] = inputs(&mut graph, [&[2, 8], &[2, 8]]);
    let w = graph.weight("w", [8], &F32).unwrap();
    let sum = graph.elementwise(&ADD, &[x, y]).unwrap();
    let normed = graph.rms_norm(sum, w, 1e-6).unwrap();
    let z = graph.elementwise(&ADD, &[normed, sum]).unwrap();
    graph.output("z", z).unwrap();
    let expected = [
        "weight `w`",
        "add(%0, %1)",
        "rms_norm(%3, %2)",
        "add(%4, %3)",
    ];
    assert_eq!(fused(&graph), (expected.map(String::from).to_vec(), 0));
}

#[test]
fn a_second_pass_changes_nothing() {
    let mut graph = Graph::new();
    let [x] = inputs(&mut graph, [&[8]]);
    let a = graph.elementwise(&SILU, &[x]).unwrap();
    let b = graph.elementwise(&SILU, &[a]).unwrap();
    graph.output("b", b).unwrap();
    let (once, _) = fuse_regions(&graph);
    assert_eq!(fuse_regions(&once), (once.clone(), 0));
}

/// The message for a region that a graph refuses.
fn region_message(steps: Vec<Step>, args: &[u32]) -> String {
    let mut graph = Graph::new();
    for i in 0..9 {
        graph.input(format!("x{i}"), [4], DType::F32).unwrap();
    }
    let args: Vec<_> = args.iter().map(|&arg| ValueId(arg)).collect();
    let error = graph.region(Region { steps }, &args).unwrap_err();
    let GraphError::Region { source, .. } = error else {
        panic!("{error}")
    };
    source.to_string()
}

#[test]
fn a_region_reads_only_what_is_computed_before() {
    let steps = vec![Step {
        op: &SILU,
        operands: vec![1],
    }];
    let expected = "step 0, `silu`, reads value 1 of the region, which is not computed before it";
    assert_eq!(region_message(steps, &[0]), expected);
}

#[test]
fn a_region_computes_nothing_in_vain() {
    let steps = vec![
        Step {
            op: &SILU,
            operands: vec![0],
        },
        Step {
            op: &SILU,
            operands: vec![0],
        },
    ];
    assert_eq!(
        region_message(steps, &[0]),
        "value 1 of the region is read by no step and is not its result"
    );
    let steps = vec![Step {
        op: &SILU,
        operands: vec![0],
    }];
    assert_eq!(
        region_message(steps, &[0, 1]),
        "value 1 of the region is read by no step and is not its result"
    );
}

#[test]
fn a_region_has_steps_of_the_right_arity_and_distinct_arguments_up_to_seven() {
    assert_eq!(
        region_message(Vec::new(), &[]),
        "a region has at least one step"
    );
    let steps = vec![Step {
        op: &ADD,
        operands: vec![0],
    }];
    assert_eq!(
        region_message(steps, &[0]),
        "step 0, `add`, takes 2 operands, 1 were given"
    );
    let steps = vec![Step {
        op: &ADD,
        operands: vec![0, 1],
    }];
    assert_eq!(region_message(steps, &[3, 3]), "argument %3 is given twice");
    let eight = [0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(
        region_message(Vec::new(), &eight),
        "a region has at most 7 arguments, 8 were given"
    );
}
