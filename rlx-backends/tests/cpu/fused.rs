//! A graph after the regions pass computes what it computed before, bit for bit.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::sample::Index;
use rlx_backends::{Tensor, TensorData};
use rlx_core::{DType, Graph, Op, ValueId, fuse_regions, verify};
use rlx_kernels::ElementwiseOp;

use crate::fixtures::{ADD, MUL, SELECT, SILU, SUB, run};

static OPS: [&ElementwiseOp; 5] = [&ADD, &SUB, &MUL, &SILU, &SELECT];

/// An operator, where its operands come from, and whether it is an output.
type Random = (usize, [Index; 3], bool);

/// A graph of the elementwise operators over inputs of these shapes, and the inputs. Operands whose
/// shapes do not broadcast give no node.
fn graph_of(shapes: &[[u64; 3]], steps: &[Random]) -> (Graph, Vec<(String, Tensor)>) {
    let mut graph = Graph::new();
    let mut inputs = Vec::new();
    for (i, &shape) in shapes.iter().enumerate() {
        let name = format!("x{i}");
        graph.input(&name, shape, DType::F32).unwrap();
        let len = shape.iter().product::<u64>();
        let data: Vec<f32> = (0..len)
            .map(|j| ((i as u64 * 31 + j * 17) % 23) as f32 / 7.0 - 1.5)
            .collect();
        inputs.push((name, Tensor::f32(shape, data)));
    }
    let mut last = ValueId(0);
    for (i, (op, from, output)) in steps.iter().enumerate() {
        let op = OPS[*op];
        // Operands are drawn from the last few values, so that chains form.
        let values = graph.nodes().len();
        let recent = values.min(5);
        let args: Vec<_> = from[..op.arity]
            .iter()
            .map(|from| ValueId((values - recent + from.index(recent)) as u32))
            .collect();
        if let Ok(id) = graph.elementwise(op, &args) {
            last = id;
            if *output {
                graph.output(format!("y{i}"), id).unwrap();
            }
        }
    }
    graph.output("last", last).unwrap();
    (graph, inputs)
}

/// Output names with shapes and the bits of the elements.
fn bits(outputs: &[(String, Tensor)]) -> Vec<(&str, &[u64], Vec<u32>)> {
    let bits = |tensor: &Tensor| match &tensor.data {
        TensorData::F32(values) => values.iter().map(|value| value.to_bits()).collect(),
        TensorData::U32(values) => values.clone(),
    };
    outputs
        .iter()
        .map(|(name, tensor)| (name.as_str(), tensor.shape.dims(), bits(tensor)))
        .collect()
}

fn extent(full: u64) -> impl Strategy<Value = u64> {
    prop_oneof![Just(1), Just(full)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_fused_graph_gives_the_bits_of_the_graph(
        shapes in prop::collection::vec([extent(4), extent(3), extent(5)], 1..5),
        steps in prop::collection::vec((0..OPS.len(), any::<[Index; 3]>(), prop::bool::weighted(0.1)), 1..30),
    ) {
        let (graph, inputs) = graph_of(&shapes, &steps);
        let (fused, saved) = fuse_regions(&graph);
        prop_assert_eq!(verify(&fused), Ok(()));
        prop_assert_eq!(saved, graph.nodes().len() - fused.nodes().len());
        let inputs: Vec<_> = inputs.iter().map(|(name, tensor)| (name.as_str(), tensor.clone())).collect();
        let expected = run(&graph, &HashMap::new(), &inputs).unwrap();
        let found = run(&fused, &HashMap::new(), &inputs).unwrap();
        prop_assert_eq!(bits(&found), bits(&expected));
    }
}

#[test]
fn a_region_longer_than_one_run_broadcasts_across_runs() {
    let mut graph = Graph::new();
    let x = graph.input("x", [70, 50], DType::F32).unwrap();
    let row = graph.input("row", [50], DType::F32).unwrap();
    let column = graph.input("column", [70, 1], DType::F32).unwrap();
    let scaled = graph.elementwise(&MUL, &[x, row]).unwrap();
    let sum = graph.elementwise(&ADD, &[scaled, column]).unwrap();
    graph.output("sum", sum).unwrap();
    let (fused, saved) = fuse_regions(&graph);
    assert_eq!(saved, 1);
    assert!(matches!(fused.nodes()[3].op, Op::Region { .. }));
    let (x, row, column): (Vec<f32>, Vec<f32>, Vec<f32>) = (
        (0..3500_u16).map(f32::from).collect(),
        (0..50_u16).map(f32::from).collect(),
        (0..70_u16).map(|i| f32::from(i) * 1e4).collect(),
    );
    let expected: Vec<f32> = (0..3500)
        .map(|i| x[i] * row[i % 50] + column[i / 50])
        .collect();
    let inputs = [
        ("x", Tensor::f32([70, 50], x)),
        ("row", Tensor::f32([50], row)),
        ("column", Tensor::f32([70, 1], column)),
    ];
    let found = run(&fused, &HashMap::new(), &inputs).unwrap();
    assert_eq!(found, [("sum".into(), Tensor::f32([70, 50], expected))]);
}
