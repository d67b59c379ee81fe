//! Whole programs.

use std::collections::HashMap;

use rlx_backends::wgpu::{
    Context, ContextOptions, DeviceError, Executor, MismatchError, WgpuBackend,
};
use rlx_backends::{Backend, BackendError, Executable, Tensor, TensorData};
use rlx_core::{DType, Graph, Plan, Program, ProgramValue, ValueId, ValueKind, WeightsError, plan};
use rlx_kernels::geometry::MAX_WORKGROUPS;
use rlx_kernels::{BlockFormat, Features};

use crate::context::{F32, Pair, context};
use crate::kernels::{add_kernel, dispatch, kernel, set_body, times_kernel, triple_kernel};

const N: u32 = 100;

fn value(bytes: u64, kind: ValueKind, alias_of: Option<u32>) -> ProgramValue {
    ProgramValue {
        bytes,
        kind,
        alias_of: alias_of.map(ValueId),
    }
}

fn tensor(data: Vec<f32>) -> Tensor {
    Tensor::f32(vec![data.len() as u64], data)
}

/// out = 3 (x + w) + y: the sum is tripled in place, the result may lie where x was. The graph has
/// the inputs, the weight and an output of that shape, which is all that an executor asks of it.
fn program() -> (Graph, Program) {
    let dims = vec![u64::from(N)];
    let mut graph = Graph::new();
    graph.input("x", dims.clone(), DType::F32).unwrap();
    let y = graph.input("y", dims.clone(), DType::F32).unwrap();
    graph.weight("w", dims, &F32::INFO).unwrap();
    graph.output("out", y).unwrap();

    let bytes = u64::from(N) * 4;
    let (input, weight) = (
        || ValueKind::Input,
        ValueKind::Weight {
            name: "w".into(),
            from: 0,
        },
    );
    let values = vec![
        value(bytes, input(), None),
        value(bytes, input(), None),
        value(bytes, weight, None),
        value(bytes, ValueKind::Temporary, None),
        value(bytes, ValueKind::Temporary, Some(3)),
        value(bytes, ValueKind::Temporary, None),
    ];
    let run = |kernel, values: &[u32]| {
        dispatch(
            kernel,
            values.iter().map(|&id| ValueId(id)).collect(),
            &N.to_le_bytes(),
            u64::from(N),
        )
        .unwrap()
    };
    let dispatches = vec![
        run(add_kernel(), &[0, 2, 3]),
        run(triple_kernel(), &[4]),
        run(add_kernel(), &[4, 1, 5]),
    ];
    let inputs = vec![("x".into(), ValueId(0)), ("y".into(), ValueId(1))];
    let outputs = vec![("out".into(), ValueId(5))];
    (
        graph,
        Program {
            values,
            dispatches,
            inputs,
            outputs,
        },
    )
}

fn weights() -> HashMap<String, Vec<u8>> {
    let w: Vec<u8> = (0..N).flat_map(|i| (i as f32).to_le_bytes()).collect();
    HashMap::from([("w".to_owned(), w)])
}

fn planned(context: &Context, program: &Program) -> Plan {
    plan(program, &context.capabilities().limits).unwrap()
}

fn executor(context: &Context) -> Executor {
    let (graph, program) = program();
    Executor::new(
        context,
        &graph,
        &program,
        &planned(context, &program),
        &weights(),
    )
    .unwrap()
}

fn inputs(x: f32, y: f32) -> [(&'static str, Tensor); 2] {
    [
        ("x", tensor(vec![x; N as usize])),
        ("y", tensor(vec![y; N as usize])),
    ]
}

/// What a run says to inputs that are right but for a change.
fn refusal(change: impl FnOnce(&mut Vec<(&str, Tensor)>)) -> String {
    let context = context();
    let mut executor = executor(&context);
    let mut inputs = inputs(1.0, 2.0).to_vec();
    change(&mut inputs);
    executor.run(&inputs).unwrap_err().to_string()
}

/// What compiling says to a program or plan that is right but for a change.
fn mismatch(change: impl FnOnce(&mut Program, &mut Plan)) -> BackendError {
    let (context, (graph, mut program)) = (context(), program());
    let mut plan = planned(&context, &program);
    change(&mut program, &mut plan);
    Executor::new(&context, &graph, &program, &plan, &weights()).unwrap_err()
}

#[test]
fn a_program_with_an_in_place_value_and_a_reused_window_gives_what_the_host_computes() {
    let context = context();
    let (_, program) = program();
    let windows = planned(&context, &program).windows;
    assert_eq!(windows[3], windows[4]);
    assert_eq!(windows[0], windows[5]);
    let mut executor = executor(&context);
    let expected: Vec<f32> = (0..N).map(|i| 3.0 * (1.5 + i as f32) + 0.25).collect();
    assert_eq!(
        executor.run(&inputs(1.5, 0.25)).unwrap(),
        [("out".to_owned(), tensor(expected))]
    );
}

#[test]
fn one_kernel_runs_with_several_values_of_its_override_in_one_program() {
    let context = context();
    let (graph, mut program) = program();
    let params = N.to_le_bytes();
    let times = || dispatch(times_kernel(), vec![ValueId(4)], &params, u64::from(N)).unwrap();
    program.dispatches[1] = times();
    let mut twice = times();
    twice.overrides = vec![2];
    program.dispatches.insert(2, twice);
    let plan = planned(&context, &program);
    let mut executor = Executor::new(&context, &graph, &program, &plan, &weights()).unwrap();
    let expected: Vec<f32> = (0..N).map(|i| 6.0 * (1.5 + i as f32) + 0.25).collect();
    assert_eq!(
        executor.run(&inputs(1.5, 0.25)).unwrap(),
        [("out".to_owned(), tensor(expected))]
    );
}

#[test]
fn a_hundred_runs_give_the_same_bits() {
    let context = context();
    let mut executor = executor(&context);
    let inputs = inputs(0.1, 1e-3);
    let first = executor.run(&inputs).unwrap();
    for _ in 1..100 {
        assert_eq!(executor.run(&inputs).unwrap(), first);
    }
}

#[test]
fn inputs_may_be_given_in_any_order() {
    let context = context();
    let mut executor = executor(&context);
    let mut inputs = inputs(1.0, 2.0);
    let first = executor.run(&inputs).unwrap();
    inputs.reverse();
    assert_eq!(executor.run(&inputs).unwrap(), first);
}

#[test]
fn the_report_lists_kernels_and_bytes() {
    let context = context();
    let executor = executor(&context).with_fused(2);
    let report = executor.report();
    assert_eq!(report.dispatches, ["add", "triple", "add"]);
    assert_eq!(
        (
            report.fused,
            report.peak >= report.lower_bound,
            report.weight_bytes >= 400
        ),
        (2, true, true)
    );
}

#[test]
fn a_missing_input_is_named() {
    assert_eq!(
        refusal(|inputs| drop(inputs.pop())),
        "input `y`, f32 of shape [100], was not given"
    );
}

#[test]
fn an_input_that_the_program_does_not_have_is_named_with_those_that_it_has() {
    let text = refusal(|inputs| inputs.push(("z", tensor(vec![0.0]))));
    assert_eq!(text, "the graph has no input `z`; its inputs are `x`, `y`");
}

#[test]
fn an_input_that_is_given_twice_is_named() {
    let text = refusal(|inputs| inputs.push(inputs[0].clone()));
    assert_eq!(text, "input `x` was given twice");
}

#[test]
fn an_input_of_another_dtype_is_named() {
    let text = refusal(|inputs| inputs[0].1.data = TensorData::U32(vec![0; N as usize]));
    assert_eq!(text, "input `x` is f32, a tensor of u32 was given");
}

#[test]
fn an_input_of_another_shape_is_named_with_both_shapes() {
    let text = refusal(|inputs| inputs[1].1 = tensor(vec![0.0; 7]));
    assert_eq!(
        text,
        "input `y` has shape [100], a tensor of shape [7] was given"
    );
}

#[test]
fn a_tensor_that_lacks_elements_is_named() {
    let text = refusal(|inputs| inputs[1].1.data = TensorData::F32(vec![0.0; 99]));
    assert_eq!(
        text,
        "input `y` of shape [100] has 100 elements, the tensor holds 99"
    );
}

#[test]
fn an_executor_goes_on_after_refused_inputs() {
    let context = context();
    let mut executor = executor(&context);
    let first = executor.run(&inputs(1.0, 2.0)).unwrap();
    assert!(executor.run(&[]).is_err());
    assert_eq!(executor.run(&inputs(1.0, 2.0)).unwrap(), first);
}

#[test]
fn a_missing_weight_is_named() {
    let (context, (graph, program)) = (context(), program());
    let none = HashMap::<String, Vec<u8>>::new();
    let error = Executor::new(
        &context,
        &graph,
        &program,
        &planned(&context, &program),
        &none,
    )
    .unwrap_err();
    assert_eq!(
        error,
        BackendError::Weights(WeightsError::Missing { name: "w".into() })
    );
}

#[test]
fn a_weight_of_another_size_is_named() {
    let (context, (graph, program)) = (context(), program());
    let short = HashMap::from([("w".to_owned(), vec![0; 399])]);
    let error = Executor::new(
        &context,
        &graph,
        &program,
        &planned(&context, &program),
        &short,
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "weight `w` of shape [100] in F32 takes 400 bytes, 399 were given"
    );
}

#[test]
fn a_kernel_that_the_device_cannot_run_is_refused_at_compile_time() {
    let options = ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    };
    let (context, (graph, mut program)) = (Context::new(&options).unwrap(), program());
    let mut needy = add_kernel();
    (needy.features, needy.hash) = (
        Features {
            f16: true,
            ..Features::NONE
        },
        1,
    );
    program.dispatches[0] =
        dispatch(needy, program.dispatches[0].bindings.clone(), &[0; 4], 1).unwrap();
    let error = Executor::new(
        &context,
        &graph,
        &program,
        &planned(&context, &program),
        &weights(),
    )
    .unwrap_err();
    assert!(
        matches!(error, BackendError::Wgpu(DeviceError::Features { .. })),
        "{error}"
    );
}

#[test]
fn a_kernel_that_does_not_compile_is_refused_at_compile_time() {
    let error = mismatch(|program, _| {
        let mut broken = triple_kernel();
        set_body(&mut broken, "fn triple() { nonsense }");
        program.dispatches[1] = dispatch(broken, vec![ValueId(4)], &[0; 4], 1).unwrap();
    });
    let BackendError::Wgpu(DeviceError::Validation { making, message }) = error else {
        panic!("{error}")
    };
    assert_eq!(making, "pipeline of kernel `triple`");
    assert!(message.contains("nonsense"), "{message}");
}

#[test]
fn a_plan_of_another_program_is_refused() {
    let error = mismatch(|_, plan| plan.shared.truncate(2));
    assert_eq!(
        error,
        MismatchError::Dispatches {
            planned: 2,
            dispatches: 3
        }
        .into()
    );
    let error = mismatch(|_, plan| plan.windows.truncate(5));
    assert_eq!(error, MismatchError::NoWindow { value: ValueId(5) }.into());
    let error = mismatch(|_, plan| plan.windows[1].offset = 1 << 40);
    assert_eq!(error, MismatchError::NoWindow { value: ValueId(1) }.into());
    let error = mismatch(|_, plan| plan.windows[1].size = 396);
    assert_eq!(
        error,
        MismatchError::WindowBytes {
            name: "y".into(),
            bytes: 400,
            window: 396
        }
        .into()
    );
    let error = mismatch(|_, plan| plan.weights[0].values = vec![ValueId(0)]);
    assert_eq!(error, MismatchError::NoWeight { value: ValueId(0) }.into());
    let error = mismatch(|program, _| program.values[2].bytes = 800);
    assert_eq!(
        error,
        MismatchError::WeightBytes {
            name: "w".into(),
            bytes: 400,
            expected: 400
        }
        .into()
    );
    let error = mismatch(|program, _| program.inputs.truncate(1));
    assert_eq!(error, MismatchError::NoValue { name: "y".into() }.into());
}

#[test]
fn windows_that_a_plan_overlaps_are_refused() {
    let error = mismatch(|_, plan| plan.windows[5] = plan.windows[1]);
    assert_eq!(
        error.to_string(),
        "kernel `add` writes `out`, which overlaps `b` of the same dispatch"
    );
}

#[test]
fn a_row_id_past_the_last_row_is_refused() {
    let (context, (mut graph, mut program)) = (context(), program());
    let ids = graph.input("ids", vec![3], DType::U32).unwrap();
    let table = graph.weight("table", vec![7, 2], &Pair::INFO).unwrap();
    graph.gather_rows(table, ids).unwrap();
    program.values.push(value(12, ValueKind::Input, None));
    program.inputs.push(("ids".into(), ValueId(6)));
    let mut weights = weights();
    weights.insert("table".into(), vec![0; 21]);
    let plan = planned(&context, &program);
    let mut executor = Executor::new(&context, &graph, &program, &plan, &weights).unwrap();
    let [x, y] = inputs(1.0, 2.0);
    let mut run =
        |ids: [u32; 3]| executor.run(&[x.clone(), y.clone(), ("ids", Tensor::u32(vec![3], ids))]);
    assert!(run([0, 6, 3]).is_ok());
    let error = run([0, 7, 3]).unwrap_err();
    assert!(
        matches!(
            error,
            BackendError::RowId {
                position: 1,
                id: 7,
                rows: 7,
                ..
            }
        ),
        "{error}"
    );
}

/// Copies the words of weight `packed`, of `blocks` blocks of three bytes, out as u32.
fn copy_program(blocks: u64) -> (Graph, Program) {
    let weight_bytes = blocks * 3;
    let words = weight_bytes.div_ceil(4);
    let mut graph = Graph::new();
    let shape = graph.input("shape", vec![words], DType::U32).unwrap();
    graph
        .weight("before", vec![blocks * 2], &Pair::INFO)
        .unwrap();
    graph
        .weight("packed", vec![blocks * 2], &Pair::INFO)
        .unwrap();
    graph.output("out", shape).unwrap();

    let body = "struct Params { n: u32 }
@compute @workgroup_size(64) fn words(@builtin(global_invocation_id) id: vec3u) {
    if id.x < params.n { out[id.x] = w[id.x]; }
}";
    let mut words_kernel = kernel("words", &[("w", false), ("out", true)], 4, body);
    for binding in words_kernel.bindings.to_mut() {
        binding.element = "u32".into();
    }
    set_body(&mut words_kernel, body);
    let values = vec![
        value(
            weight_bytes,
            ValueKind::Weight {
                name: "before".into(),
                from: 0,
            },
            None,
        ),
        value(
            weight_bytes,
            ValueKind::Weight {
                name: "packed".into(),
                from: 0,
            },
            None,
        ),
        value(words * 4, ValueKind::Temporary, None),
        value(words * 4, ValueKind::Input, None),
    ];
    let (bindings, params) = (vec![ValueId(1), ValueId(2)], (words as u32).to_le_bytes());
    let threads = words.min(u64::from(MAX_WORKGROUPS) * 64);
    let copy = dispatch(words_kernel.clone(), bindings.clone(), &params, threads).unwrap();
    let nothing = dispatch(words_kernel, bindings, &params, 0).unwrap();
    let program = Program {
        values,
        dispatches: vec![copy, nothing],
        inputs: vec![("shape".into(), ValueId(3))],
        outputs: vec![("out".into(), ValueId(2))],
    };
    (graph, program)
}

/// The words that the program for `blocks` blocks gives for `packed`.
fn copied(context: &Context, blocks: u64, packed: Vec<u8>) -> (Vec<u32>, Vec<String>) {
    let (graph, program) = copy_program(blocks);
    let store = HashMap::from([
        ("before".to_owned(), vec![0xff; packed.len()]),
        ("packed".to_owned(), packed),
    ]);
    let mut executor = Executor::new(
        context,
        &graph,
        &program,
        &planned(context, &program),
        &store,
    )
    .unwrap();
    let words = (blocks * 3).div_ceil(4);
    let shape = Tensor::u32(vec![words], vec![0; words as usize]);
    let [(_, out)] = executor
        .run(&[("shape", shape)])
        .unwrap()
        .try_into()
        .unwrap();
    let TensorData::U32(out) = out.data else {
        panic!("u32 was asked for")
    };
    (out, executor.report().dispatches.clone())
}

#[test]
fn a_weight_of_no_whole_words_is_filled_up_with_zeros() {
    let (words, _) = copied(&context(), 6, vec![0xab; 18]);
    let all = 0xabab_abab;
    assert_eq!(words, [all, all, all, all, 0xabab]);
}

#[test]
fn dispatches_with_nothing_to_do_are_left_out() {
    let (_, dispatches) = copied(&context(), 6, vec![0; 18]);
    assert_eq!(dispatches, ["words"]);
}

#[test]
fn weights_larger_than_the_staging_memory_arrive_whole() {
    let bytes = 21_000_003;
    let data: Vec<u8> = (0..bytes).map(|i| ((i * 7) >> 3) as u8).collect();
    let words: Vec<u32> = data
        .as_chunks::<4>()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    let (copied, _) = copied(&context(), bytes / 3, data);
    // The grid is full before the last words.
    let threads = MAX_WORKGROUPS as usize * 64;
    assert!(copied[..threads] == words[..threads]);
}

#[test]
fn times_are_given_exactly_where_the_device_has_timestamps() {
    let context = context();
    let mut executor = executor(&context);
    let expected = executor.run(&inputs(1.0, 2.0)).unwrap();
    let (time, profile) = (executor.time().unwrap(), executor.profile().unwrap());
    assert_eq!(time.is_some(), profile.is_some());
    assert!(
        time.is_none_or(|time| time.as_nanos() > 0 && time.as_secs() < 60),
        "{time:?}"
    );
    let labels = profile.map(|profile| {
        profile
            .into_iter()
            .map(|(label, _)| label)
            .collect::<Vec<_>>()
    });
    assert!(labels.is_none_or(|labels| labels == ["add", "triple", "add"]));
    executor.submit().unwrap();
    assert_eq!(executor.run(&inputs(1.0, 2.0)).unwrap(), expected);
}

#[test]
fn without_timestamps_there_are_no_times() {
    let options = ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    };
    let mut executor = executor(&Context::new(&options).unwrap());
    assert_eq!((executor.time(), executor.profile()), (Ok(None), Ok(None)));
    executor.submit().unwrap();
}

#[test]
fn a_dropped_executor_frees_all_but_its_pipelines() {
    let context = context();
    drop(executor(&context));
    let before = context.resources().unwrap();
    assert_eq!(
        (before.buffers, before.bind_groups, before.pipelines),
        (0, 0, 3)
    );
    for _ in 0..50 {
        executor(&context).run(&inputs(1.0, 2.0)).unwrap();
    }
    assert_eq!(context.resources().unwrap(), before);
}

#[test]
fn a_backend_refuses_a_graph_that_is_not_legal() {
    let backend = WgpuBackend::new(context());
    assert_eq!(backend.name(), "wgpu");
    assert_eq!(backend.capabilities(), backend.context.capabilities());
    let Err(error) = backend.compile(&Graph::new(), &weights()) else {
        panic!("no output")
    };
    assert!(matches!(error, BackendError::Graph(_)), "{error}");
}
