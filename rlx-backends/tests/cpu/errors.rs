//! Every way in which compiling or running fails, and what the error says.

use std::collections::HashMap;

use rlx_backends::{Backend, BackendError, CpuBackend, Tensor};
use rlx_core::{DType, Graph, VerifyError, WeightsError};

use crate::fixtures::{ADD, Q8_0, SELECT, run, weights};

/// `y = w[ids] + x`, of two rows.
fn lookup() -> Graph {
    let mut graph = Graph::new();
    let x = graph.input("x", [2, 32], DType::F32).unwrap();
    let ids = graph.input("ids", [2], DType::U32).unwrap();
    let w = graph.weight("w", [3, 32], &Q8_0).unwrap();
    let rows = graph.gather_rows(w, ids).unwrap();
    let y = graph.elementwise(&ADD, &[rows, x]).unwrap();
    graph.output("y", y).unwrap();
    graph
}

fn x() -> Tensor {
    Tensor::f32([2, 32], [0.0; 64])
}

fn ids() -> Tensor {
    Tensor::u32([2], [0, 2])
}

fn error(inputs: &[(&str, Tensor)]) -> String {
    run(&lookup(), &weights([("w", vec![0; 3 * 34])]), inputs)
        .unwrap_err()
        .to_string()
}

#[test]
fn the_graph_of_these_tests_runs() {
    let inputs = [("ids", ids()), ("x", x())];
    let outputs = run(&lookup(), &weights([("w", vec![0; 3 * 34])]), &inputs);
    assert_eq!(outputs, Ok(vec![("y".into(), x())]));
}

#[test]
fn an_unknown_input_is_named_beside_those_that_there_are() {
    assert_eq!(
        error(&[("X", x()), ("ids", ids())]),
        "the graph has no input `X`; its inputs are `x`, `ids`"
    );
    assert_eq!(
        error(&[("x", x()), ("ids", ids()), ("z", x())]),
        "the graph has no input `z`; its inputs are `x`, `ids`"
    );
}

#[test]
fn a_missing_input_is_named_with_its_dtype_and_shape() {
    assert_eq!(
        error(&[("x", x())]),
        "input `ids`, u32 of shape [2], was not given"
    );
}

#[test]
fn an_input_given_twice_is_named() {
    assert_eq!(
        error(&[("x", x()), ("ids", ids()), ("x", x())]),
        "input `x` was given twice"
    );
}

#[test]
fn an_input_of_another_shape_is_named_with_both() {
    assert_eq!(
        error(&[("x", Tensor::f32([32, 2], [0.0; 64])), ("ids", ids())]),
        "input `x` has shape [2, 32], a tensor of shape [32, 2] was given"
    );
}

#[test]
fn an_input_of_another_dtype_is_named_with_both() {
    assert_eq!(
        error(&[("x", x()), ("ids", Tensor::f32([2], [0.0; 2]))]),
        "input `ids` is u32, a tensor of f32 was given"
    );
}

#[test]
fn a_tensor_whose_data_do_not_fit_its_shape_is_named_with_both_counts() {
    assert_eq!(
        error(&[("x", Tensor::f32([2, 32], [0.0; 63])), ("ids", ids())]),
        "input `x` of shape [2, 32] has 64 elements, the tensor holds 63"
    );
}

#[test]
fn a_row_id_out_of_range_is_named_with_its_position_and_the_rows() {
    assert_eq!(
        error(&[("x", x()), ("ids", Tensor::u32([2], [2, 3]))]),
        "%3 = gather_rows(%2, %1): ids[1] is 3, the weight has 3 rows"
    );
}

#[test]
fn an_executable_runs_after_a_run_that_failed() {
    let mut executable = CpuBackend::new()
        .compile(&lookup(), &weights([("w", vec![0; 3 * 34])]))
        .unwrap();
    assert!(
        executable
            .run(&[("x", x()), ("ids", Tensor::u32([2], [9, 9]))])
            .is_err()
    );
    assert!(executable.run(&[("x", x()), ("ids", ids())]).is_ok());
}

#[test]
fn a_missing_weight_is_named() {
    let error = run(&lookup(), &HashMap::new(), &[]).unwrap_err();
    assert_eq!(
        error,
        BackendError::Weights(WeightsError::Missing { name: "w".into() })
    );
    assert_eq!(error.to_string(), "there is no weight `w`");
}

#[test]
fn a_weight_of_the_wrong_length_is_named_with_both_counts() {
    let error = run(&lookup(), &weights([("w", vec![0; 101])]), &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "weight `w` of shape [3, 32] in Q8_0 takes 102 bytes, 101 were given"
    );
}

#[test]
fn a_graph_that_is_not_legal_is_refused() {
    let found = run(&Graph::new(), &HashMap::new(), &[]);
    assert_eq!(found, Err(BackendError::Graph(VerifyError::NoOutputs)));
}

#[test]
fn a_value_that_the_host_cannot_hold_is_named_with_its_bytes() {
    let mut graph = Graph::new();
    let extents: [&[u64]; 3] = [&[1 << 20, 1, 1], &[1 << 20, 1], &[1 << 20]];
    let names = ["a", "b", "c"];
    let args: Vec<_> = names
        .iter()
        .zip(extents)
        .map(|(name, dims)| graph.input(*name, dims, DType::F32).unwrap())
        .collect();
    let y = graph.elementwise(&SELECT, &args).unwrap();
    graph.output("y", y).unwrap();
    let ones = vec![1.0; 1 << 20];
    let inputs: Vec<_> = names
        .into_iter()
        .zip(extents)
        .map(|(name, dims)| (name, Tensor::f32(dims, ones.as_slice())))
        .collect();
    assert_eq!(
        run(&graph, &HashMap::new(), &inputs)
            .unwrap_err()
            .to_string(),
        "there is no memory for the 4611686018427387904 bytes of %3 = select(%0, %1, %2)"
    );
}
