//! The memory plan.

mod programs;
mod properties;

use rlx_core::{Place, PlanError, PlanLimits, Program, ValueId, ValueKind, Window, plan};
use rlx_kernels::kernel::BindingSet;

use crate::programs::{Build, LIMITS, chain, kernel};

#[test]
fn a_chain_goes_to_and_fro_between_two_windows() {
    let plan = plan(&chain(&[100, 64, 100, 64]), &LIMITS).unwrap();
    let window = |offset, size| Window {
        place: Place::Arena(0),
        offset,
        size,
    };
    assert_eq!(
        plan.windows,
        [
            window(0, 100),
            window(128, 64),
            window(0, 100),
            window(128, 64)
        ]
    );
    assert_eq!(
        (plan.arenas, plan.peak, plan.lower_bound),
        (vec![192], 192, 192)
    );
    assert_eq!(plan.shared, [BindingSet::NONE.with(0); 3]);
}

#[test]
fn sizes_are_whole_words_and_an_empty_value_has_one() {
    let plan = plan(&chain(&[0, 5]), &LIMITS).unwrap();
    let sizes: Vec<_> = plan.windows.iter().map(|window| window.size).collect();
    assert_eq!(sizes, [4, 8]);
}

#[test]
fn a_window_holds_an_element_of_every_binding_that_views_it() {
    let mut program = chain(&[4, 4]);
    program.dispatches[0].kernel = kernel(1, 16);
    assert_eq!(plan(&program, &LIMITS).unwrap().windows[0].size, 16);
}

#[test]
fn weights_share_read_only_buffers_up_to_the_largest() {
    let mut program = Program::default();
    let (a, b, c) = (
        program.weight(100, "a"),
        program.weight(50, "b"),
        program.weight(200, "c"),
    );
    let y = program.temporary(4);
    program.dispatch(&[a, b, c], y);
    program.output("y", y);
    let plan = plan(
        &program,
        &PlanLimits {
            max_buffer: 256,
            ..LIMITS
        },
    )
    .unwrap();
    let sizes: Vec<_> = plan
        .weights
        .iter()
        .map(|buffer| (buffer.size, buffer.values.clone()))
        .collect();
    assert_eq!(sizes, [(180, vec![a, b]), (200, vec![c])]);
    assert_eq!(
        plan.windows[1],
        Window {
            place: Place::Weights(0),
            offset: 128,
            size: 52
        }
    );
    assert_eq!(plan.shared, [BindingSet::NONE]);
}

#[test]
fn only_bindings_of_a_buffer_that_is_written_are_shared() {
    let mut program = Program::default();
    let (x, w) = (program.input(64, "x"), program.weight(64, "w"));
    let y = program.temporary(64);
    program.dispatch(&[w, x], y);
    program.output("y", y);
    assert_eq!(
        plan(&program, &LIMITS).unwrap().shared,
        [BindingSet::NONE.with(1)]
    );
}

#[test]
fn arenas_stay_within_the_largest_buffer() {
    let mut program = Program::default();
    let inputs: Vec<_> = (0..3)
        .map(|i| program.input(100, &format!("x{i}")))
        .collect();
    let y = program.temporary(100);
    program.dispatch(&inputs, y);
    program.output("y", y);
    let plan = plan(
        &program,
        &PlanLimits {
            max_buffer: 300,
            ..LIMITS
        },
    )
    .unwrap();
    assert_eq!(
        (plan.arenas, plan.peak, plan.lower_bound),
        (vec![256, 256], 512, 512)
    );
    // Both arenas hold two of the four windows; the inputs beside the output are shared.
    assert_eq!(plan.shared, [BindingSet::NONE.with(2)]);
}

#[test]
fn a_value_written_in_place_has_the_window_of_the_other() {
    let mut program = chain(&[64, 64]);
    let alias = program.value(64, ValueKind::Temporary, Some(ValueId(1)));
    program.dispatch(&[ValueId(0)], alias);
    program.outputs = vec![("y".into(), alias)];
    let plan = plan(&program, &LIMITS).unwrap();
    assert_eq!(plan.windows[2], plan.windows[1]);
    assert_eq!(plan.peak, 128);
}

#[test]
fn a_view_lives_in_the_weight_that_it_views() {
    let mut program = Program::default();
    let w = program.weight(64, "w");
    let view = program.value(64, ValueKind::Temporary, Some(w));
    let y = program.temporary(64);
    program.dispatch(&[view], y);
    program.output("y", y);
    assert_eq!(
        plan(&program, &LIMITS).unwrap().windows[1].place,
        Place::Weights(0)
    );
}

#[test]
fn a_state_is_written_in_a_buffer_of_its_own() {
    let mut program = Program::default();
    let x = program.input(64, "x");
    let name = "cache".to_owned();
    let state = program.value(640, ValueKind::State { name }, None);
    let kept = program.value(640, ValueKind::Temporary, Some(state));
    program.dispatch(&[x], kept);
    let y = program.temporary(64);
    program.dispatch(&[kept], y);
    program.output("y", y);
    let found = plan(&program, &LIMITS).unwrap();
    assert_eq!(found.states, [state]);
    let window = Window {
        place: Place::State(0),
        offset: 0,
        size: 640,
    };
    assert_eq!([found.windows[1], found.windows[2]], [window; 2]);
    assert_eq!((found.peak, found.shared.len()), (64, 2));
    // What is read before it is written is what the run before left.
    program.dispatch(&[state], y);
    let error = plan(&program, &LIMITS).unwrap_err().to_string();
    assert!(error.contains("reads"), "{error}");
}

#[test]
fn a_weight_over_the_largest_binding_is_named_with_its_bytes_and_the_limit() {
    let mut program = Program::default();
    let (w, y) = (
        program.weight(1001, "blk.0.attn_q.weight"),
        program.temporary(4),
    );
    program.dispatch(&[w], y);
    program.output("y", y);
    let error = plan(
        &program,
        &PlanLimits {
            max_binding: 1000,
            ..LIMITS
        },
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "weight `blk.0.attn_q.weight` takes 1004 bytes, more than the 1000 bytes of a storage binding"
    );
}

#[test]
fn a_value_over_the_largest_buffer_is_named_with_its_bytes_and_the_limit() {
    let error = plan(
        &chain(&[10, 5000, 10]),
        &PlanLimits {
            max_buffer: 4100,
            ..LIMITS
        },
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "%1, which dispatch 0 (`dummy`) writes takes 5024 bytes with its padding, more than the 4096 bytes of a buffer"
    );
}

#[test]
fn sizes_past_64_bits_are_an_error() {
    let limits = PlanLimits {
        max_binding: u64::MAX,
        max_buffer: u64::MAX,
        ..LIMITS
    };
    assert_eq!(
        plan(&chain(&[u64::MAX, 4]), &limits),
        Err(PlanError::Overflow)
    );
    assert_eq!(
        plan(&chain(&[1 << 63, 1 << 63]), &limits),
        Err(PlanError::Overflow)
    );
}

#[test]
fn an_alignment_that_is_no_power_of_two_is_an_error() {
    for alignment in [0, 48] {
        let limits = PlanLimits {
            storage_alignment: alignment,
            ..LIMITS
        };
        assert_eq!(
            plan(&chain(&[4, 4]), &limits),
            Err(PlanError::Alignment { alignment })
        );
    }
}

/// The error of a chain `x -> %1 -> y` that `change` has spoilt.
fn spoilt(change: impl FnOnce(&mut Program)) -> String {
    let mut program = chain(&[64, 64, 64]);
    change(&mut program);
    plan(&program, &LIMITS).unwrap_err().to_string()
}

#[test]
fn numbers_that_name_no_value_are_errors() {
    assert_eq!(
        spoilt(|program| program.dispatches[1].bindings[0] = ValueId(9)),
        "dispatch 1 (`dummy`) names %9, the program has 3 values"
    );
    assert_eq!(
        spoilt(|program| program.output("z", ValueId(9))),
        "output `z` names %9, the program has 3 values"
    );
    assert_eq!(
        spoilt(|program| program.values[2].alias_of = Some(ValueId(9))),
        "output `y` cannot live in the window of %9: there is no such value"
    );
}

#[test]
fn a_dispatch_has_its_kernels_bindings() {
    assert_eq!(
        spoilt(|program| program.dispatches[1].bindings.push(ValueId(0))),
        "dispatch 1: kernel `dummy` has 2 bindings, the dispatch 3"
    );
}

#[test]
fn a_kernel_has_at_most_32_bindings() {
    let mut program = Program::default();
    let x = program.input(4, "x");
    let y = program.temporary(4);
    program.dispatch(&[x; 32], y);
    let error = plan(&program, &LIMITS).unwrap_err();
    assert!(matches!(
        error,
        PlanError::TooManyBindings { bindings: 33, .. }
    ));
}

#[test]
fn a_weight_is_never_written() {
    assert_eq!(
        spoilt(|program| program.values[1].kind = ValueKind::Weight {
            name: "w".into(),
            from: 0
        }),
        "dispatch 0: kernel `dummy` writes weight `w`, and weights are only read"
    );
}

#[test]
fn an_input_is_of_that_kind() {
    assert_eq!(
        spoilt(|program| program.inputs.push(("z".into(), ValueId(1)))),
        "input `z` is %1, whose kind is not `Input`"
    );
}

#[test]
fn a_value_is_written_before_it_is_read() {
    assert_eq!(
        spoilt(|program| program.dispatches.swap(0, 1)),
        "dispatch 0 (`dummy`) reads %1, which dispatch 1 (`dummy`) writes, which nothing has written"
    );
    assert!(
        spoilt(|program| program.dispatches.truncate(1)).starts_with("output `y` reads output `y`")
    );
}

#[test]
fn a_value_is_not_read_after_another_was_written_in_its_place() {
    let message = spoilt(|program| {
        let alias = program.value(64, ValueKind::Temporary, Some(ValueId(1)));
        program.dispatch(&[ValueId(0)], alias);
        program.dispatch(&[ValueId(1)], ValueId(2));
    });
    assert_eq!(
        message,
        "dispatch 3 (`dummy`) reads %1, which dispatch 0 (`dummy`) writes, in whose place %3, which dispatch 2 \
         (`dummy`) writes was written"
    );
}

#[test]
fn a_dispatch_does_not_bind_a_window_that_it_writes_twice() {
    assert_eq!(
        spoilt(|program| program.values[2].alias_of = Some(ValueId(1))),
        "dispatch 1: kernel `dummy` writes output `y` and also binds %1, which dispatch 0 (`dummy`) writes, which is \
         the same window"
    );
}

#[test]
fn aliases_end_at_a_value_that_is_large_enough() {
    let cannot = |reason| format!("output `y` cannot live in the window of %1: {reason}");
    assert_eq!(
        spoilt(|program| {
            program.values[2].alias_of = Some(ValueId(1));
            program.values[2].bytes = 65;
        }),
        cannot("it is larger")
    );
    let circle = spoilt(|program| {
        program.values[1].alias_of = Some(ValueId(2));
        program.values[2].alias_of = Some(ValueId(1));
    });
    assert!(circle.ends_with("the aliases run in a circle"), "{circle}");
    let input = spoilt(|program| program.values[0].alias_of = Some(ValueId(1)));
    assert_eq!(
        input,
        "input `x` cannot live in the window of %1: it is an input or a weight"
    );
}
