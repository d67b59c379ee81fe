//! The CPU backend on examples that can be checked by hand.

mod errors;
mod fixtures;
mod fused;
mod matmul;

use std::collections::HashMap;

use rlx_backends::{Backend, CpuBackend, Tensor};
use rlx_core::{DType, Graph};

use crate::fixtures::{ADD, F32, MUL, Q8_0, SUB, f32_bytes, first, q8_0_block, run, weights};

#[test]
fn matmul_of_two_rows_with_three_weight_rows() {
    let mut graph = Graph::new();
    let x = graph.input("x", [2, 2], DType::F32).unwrap();
    let w = graph.weight("w", [3, 2], &F32).unwrap();
    let y = graph.matmul_bt(x, w).unwrap();
    graph.output("y", y).unwrap();
    let weights = weights([("w", f32_bytes(&[1.0, 0.0, 0.0, 1.0, 2.0, -1.0]))]);
    let y = first(
        &graph,
        &weights,
        &[("x", Tensor::f32([2, 2], [1.0, 2.0, 3.0, 4.0]))],
    );
    assert_eq!(y, Tensor::f32([2, 3], [1.0, 2.0, 0.0, 3.0, 4.0, 2.0]));
}

#[test]
fn matmul_decodes_q8_0_blocks() {
    let mut graph = Graph::new();
    let x = graph.input("x", [1, 1, 32], DType::F32).unwrap();
    let w = graph.weight("w", [2, 32], &Q8_0).unwrap();
    let y = graph.matmul_bt(x, w).unwrap();
    graph.output("y", y).unwrap();
    let ramp = std::array::from_fn(|i| i as i8);
    let weights = weights([(
        "w",
        [q8_0_block(0.5, [-4; 32]), q8_0_block(2.0, ramp)].concat(),
    )]);
    let y = first(
        &graph,
        &weights,
        &[("x", Tensor::f32([1, 1, 32], [1.0; 32]))],
    );
    assert_eq!(y, Tensor::f32([1, 1, 2], [-64.0, 992.0]));
}

#[test]
fn matmul_of_no_rows_is_empty() {
    let mut graph = Graph::new();
    let x = graph.input("x", [0, 2], DType::F32).unwrap();
    let w = graph.weight("w", [3, 2], &F32).unwrap();
    let y = graph.matmul_bt(x, w).unwrap();
    graph.output("y", y).unwrap();
    let y = first(
        &graph,
        &weights([("w", f32_bytes(&[0.0; 6]))]),
        &[("x", Tensor::f32([0, 2], []))],
    );
    assert_eq!(y, Tensor::f32([0, 3], []));
}

#[test]
fn gather_takes_rows_in_the_order_of_the_ids() {
    let mut graph = Graph::new();
    let ids = graph.input("ids", [3], DType::U32).unwrap();
    let w = graph.weight("w", [3, 2], &F32).unwrap();
    let y = graph.gather_rows(w, ids).unwrap();
    graph.output("y", y).unwrap();
    let weights = weights([("w", f32_bytes(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]))]);
    let y = first(&graph, &weights, &[("ids", Tensor::u32([3], [2, 0, 2]))]);
    assert_eq!(y, Tensor::f32([3, 2], [4.0, 5.0, 0.0, 1.0, 4.0, 5.0]));
}

#[test]
fn dequantise_keeps_the_shape() {
    let mut graph = Graph::new();
    let w = graph.weight("w", [2, 32], &Q8_0).unwrap();
    let y = graph.dequantise(w).unwrap();
    graph.output("y", y).unwrap();
    let weights = weights([(
        "w",
        [q8_0_block(0.5, [3; 32]), q8_0_block(-1.0, [7; 32])].concat(),
    )]);
    let y = first(&graph, &weights, &[]);
    assert_eq!(y, Tensor::f32([2, 32], [[1.5; 32], [-7.0; 32]].concat()));
}

#[test]
fn rms_norm_divides_each_row_by_its_root_mean_square() {
    let mut graph = Graph::new();
    let x = graph.input("x", [2, 2], DType::F32).unwrap();
    let w = graph.weight("w", [2], &F32).unwrap();
    let y = graph.rms_norm(x, w, 0.0).unwrap();
    graph.output("y", y).unwrap();
    let weights = weights([("w", f32_bytes(&[1.0, 10.0]))]);
    // Root mean squares of 1 and 5.
    let y = first(
        &graph,
        &weights,
        &[("x", Tensor::f32([2, 2], [1.0, -1.0, 1.0, 7.0]))],
    );
    assert_eq!(y, Tensor::f32([2, 2], [1.0, -10.0, 0.2, 14.0]));
}

#[test]
fn rms_norm_of_a_row_of_zeros_is_zero_where_eps_is_not() {
    let mut graph = Graph::new();
    let x = graph.input("x", [3], DType::F32).unwrap();
    let w = graph.weight("w", [3], &F32).unwrap();
    let y = graph.rms_norm(x, w, 1e-6).unwrap();
    graph.output("y", y).unwrap();
    let y = first(
        &graph,
        &weights([("w", f32_bytes(&[1.0; 3]))]),
        &[("x", Tensor::f32([3], [0.0; 3]))],
    );
    assert_eq!(y, Tensor::f32([3], [0.0; 3]));
}

#[test]
fn elementwise_repeats_extents_of_one() {
    let mut graph = Graph::new();
    let column = graph.input("column", [2, 1], DType::F32).unwrap();
    let row = graph.input("row", [3], DType::F32).unwrap();
    let scalar = graph.input("scalar", [], DType::F32).unwrap();
    let difference = graph.elementwise(&SUB, &[column, row]).unwrap();
    let y = graph.elementwise(&MUL, &[difference, scalar]).unwrap();
    graph.output("y", y).unwrap();
    let inputs = [
        ("column", Tensor::f32([2, 1], [10.0, 20.0])),
        ("row", Tensor::f32([3], [1.0, 2.0, 3.0])),
        ("scalar", Tensor::f32([], [2.0])),
    ];
    let y = first(&graph, &HashMap::new(), &inputs);
    assert_eq!(y, Tensor::f32([2, 3], [18.0, 16.0, 14.0, 38.0, 36.0, 34.0]));
}

#[test]
fn elementwise_repeats_a_middle_extent() {
    let mut graph = Graph::new();
    let a = graph.input("a", [1, 2, 1, 2], DType::F32).unwrap();
    let b = graph.input("b", [1, 2, 2, 2], DType::F32).unwrap();
    let y = graph.elementwise(&ADD, &[a, b]).unwrap();
    graph.output("y", y).unwrap();
    let inputs = [
        ("a", Tensor::f32([1, 2, 1, 2], [10.0, 20.0, 30.0, 40.0])),
        (
            "b",
            Tensor::f32([1, 2, 2, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
        ),
    ];
    let y = first(&graph, &HashMap::new(), &inputs);
    assert_eq!(
        y,
        Tensor::f32(
            [1, 2, 2, 2],
            [11.0, 22.0, 13.0, 24.0, 35.0, 46.0, 37.0, 48.0]
        )
    );
}

#[test]
fn an_input_can_be_an_output_and_two_outputs_one_value() {
    let mut graph = Graph::new();
    let ids = graph.input("ids", [2], DType::U32).unwrap();
    graph.output("a", ids).unwrap();
    graph.output("b", ids).unwrap();
    let ids = Tensor::u32([2], [7, 9]);
    let outputs = run(&graph, &HashMap::new(), &[("ids", ids.clone())]).unwrap();
    assert_eq!(outputs, [("a".into(), ids.clone()), ("b".into(), ids)]);
}

#[test]
fn an_executable_runs_again_with_other_inputs() {
    let mut graph = Graph::new();
    let x = graph.input("x", [1], DType::F32).unwrap();
    let y = graph.elementwise(&ADD, &[x, x]).unwrap();
    graph.output("y", y).unwrap();
    let mut executable = CpuBackend::new().compile(&graph, &HashMap::new()).unwrap();
    for x in [1.0, 2.5] {
        let outputs = executable.run(&[("x", Tensor::f32([1], [x]))]).unwrap();
        assert_eq!(outputs, [("y".into(), Tensor::f32([1], [2.0 * x]))]);
    }
}

#[test]
fn the_report_names_operators_and_counts_bytes() {
    let mut graph = Graph::new();
    let x = graph.input("x", [1, 32], DType::F32).unwrap();
    let w = graph.weight("w", [2, 32], &Q8_0).unwrap();
    let y = graph.matmul_bt(x, w).unwrap();
    let y = graph.elementwise(&ADD, &[y, y]).unwrap();
    graph.output("y", y).unwrap();
    let executable = CpuBackend::new()
        .compile(&graph, &weights([("w", vec![0; 68])]))
        .unwrap();
    let report = executable.report();
    assert_eq!(report.dispatches, ["matmul_bt::Q8_0", "add"]);
    assert_eq!(
        (report.weight_bytes, report.peak, report.lower_bound),
        (68, 136, 136)
    );
}
