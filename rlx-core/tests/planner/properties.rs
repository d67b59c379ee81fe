//! Properties of the plans of thousands of random programs.

use proptest::prelude::*;
use proptest::sample::Index;
use rlx_core::{Place, PlanLimits, Program, ValueId, ValueKind, Window, plan};

use crate::programs::{Build, LIMITS, chain};

/// One step of a random program: what it reads, how large its result is, and where that goes.
#[derive(Clone, Debug)]
struct Random {
    reads: Vec<Index>,
    bytes: u64,
    place: u8,
    output: bool,
}

fn random_steps() -> impl Strategy<Value = Vec<Random>> {
    let bytes = prop_oneof![0_u64..64, 64_u64..2000, Just(512), Just(1024)];
    let step = (
        prop::collection::vec(any::<Index>(), 0..6),
        bytes,
        0_u8..8,
        prop::bool::weighted(0.1),
    );
    let step = step.prop_map(|(reads, bytes, place, output)| Random {
        reads,
        bytes,
        place,
        output,
    });
    prop::collection::vec(step, 1..40)
}

/// A legal program: inputs, weights, fresh temporaries, values written in place of others, and views.
fn program_of(steps: &[Random]) -> Program {
    let mut program = Program::default();
    let mut readable = vec![program.input(640, "x")];
    let mut kept: Vec<ValueId> = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let mut reads: Vec<_> = step
            .reads
            .iter()
            .map(|index| *index.get(&readable))
            .collect();
        let name = format!("v{i}");
        let written = match step.place {
            0 => program.input(step.bytes, &name),
            1 => program.weight(step.bytes, &name),
            2 => {
                let target = reads.pop().unwrap_or(readable[0]);
                let bytes = program.values[target.index()].bytes;
                program.value(bytes, ValueKind::Temporary, Some(target))
            }
            3 | 4 if !reads.is_empty() => {
                let target = reads[0];
                let root = |program: &Program, mut id: ValueId| {
                    while let Some(next) = program.values[id.index()].alias_of {
                        id = next;
                    }
                    id
                };
                let owner = root(&program, target);
                let same = |id: &ValueId| root(&program, *id) == owner;
                let is_weight =
                    matches!(program.values[owner.index()].kind, ValueKind::Weight { .. });
                if is_weight || kept.iter().any(same) {
                    let written = program.temporary(step.bytes);
                    program.dispatch(&reads, written);
                    written
                } else {
                    reads.retain(|id| !same(id));
                    readable.retain(|id| !same(id));
                    let bytes = step.bytes.min(program.values[target.index()].bytes);
                    let written = program.value(bytes, ValueKind::Temporary, Some(target));
                    program.dispatch(&reads, written);
                    written
                }
            }
            _ => {
                let written = program.temporary(step.bytes);
                program.dispatch(&reads, written);
                written
            }
        };
        readable.push(written);
        if step.output {
            kept.push(written);
            program.output(&name, written);
        }
    }
    program
}

/// The value whose content a read of `id` finds.
fn content(program: &Program, mut id: ValueId) -> ValueId {
    let written = |id: ValueId| {
        program.values[id.index()].kind != ValueKind::Temporary
            || program
                .dispatches
                .iter()
                .any(|dispatch| dispatch.bindings.last() == Some(&id))
    };
    while let (false, Some(target)) = (written(id), program.values[id.index()].alias_of) {
        id = target;
    }
    id
}

/// Runs the program on the plan's buffers, word by word: a value fills its window with its number,
/// and each reader must find that number in every word.
fn simulate(program: &Program, limits: &PlanLimits) -> Result<(), TestCaseError> {
    let plan = plan(program, limits).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let words = |size: u64| vec![u32::MAX; size.div_ceil(4) as usize];
    let mut arenas: Vec<_> = plan.arenas.iter().map(|&size| words(size)).collect();
    let mut weights: Vec<_> = plan
        .weights
        .iter()
        .map(|buffer| words(buffer.size))
        .collect();
    let range = |window: &Window| {
        (window.offset / 4) as usize..((window.offset + window.size) / 4) as usize
    };
    for (value, window) in program.values.iter().zip(&plan.windows) {
        let buffer = match window.place {
            Place::Arena(n) => plan.arenas[n],
            Place::Weights(n) => plan.weights[n].size,
            Place::State(n) => plan.windows[plan.states[n].index()].size,
        };
        prop_assert!(buffer <= limits.max_buffer);
        prop_assert!(window.offset + window.size <= buffer);
        prop_assert!(window.offset.is_multiple_of(limits.storage_alignment));
        prop_assert!(window.size >= value.bytes.max(4) && window.size < value.bytes + 5);
        if let Some(target) = value.alias_of {
            let target = plan.windows[target.index()];
            prop_assert_eq!((window.place, window.offset), (target.place, target.offset));
        }
    }
    let mut write = |id: ValueId, arenas: &mut [Vec<u32>]| match plan.windows[id.index()].place {
        Place::Arena(n) => arenas[n][range(&plan.windows[id.index()])].fill(id.0),
        Place::Weights(n) => weights[n][range(&plan.windows[id.index()])].fill(id.0),
        // These programs have none.
        Place::State(_) => {}
    };
    for (i, value) in program.values.iter().enumerate() {
        if value.kind != ValueKind::Temporary {
            write(ValueId(i as u32), &mut arenas);
        }
    }
    let mut reads: Vec<(usize, ValueId)> = Vec::new();
    for (i, dispatch) in program.dispatches.iter().enumerate() {
        let (write_id, read_ids) = dispatch.bindings.split_last().unwrap();
        let target = plan.windows[write_id.index()].place;
        for (at, id) in read_ids.iter().enumerate() {
            let window = plan.windows[id.index()];
            prop_assert_eq!(plan.shared[i].contains(at), window.place == target);
            if let Place::Arena(n) = window.place {
                let expected = content(program, *id).0;
                prop_assert!(
                    arenas[n][range(&window)]
                        .iter()
                        .all(|&word| word == expected)
                );
            }
            reads.push((i, *id));
        }
        prop_assert!(matches!(target, Place::Arena(_)));
        write(*write_id, &mut arenas);
        for id in read_ids {
            // What a dispatch writes must not touch what its other invocations still read.
            if let Place::Arena(n) = plan.windows[id.index()].place {
                let expected = content(program, *id).0;
                prop_assert!(
                    arenas[n][range(&plan.windows[id.index()])]
                        .iter()
                        .all(|&word| word == expected)
                );
            }
        }
    }
    for (_, id) in &program.outputs {
        if let Place::Arena(n) = plan.windows[id.index()].place {
            let expected = content(program, *id).0;
            prop_assert!(
                arenas[n][range(&plan.windows[id.index()])]
                    .iter()
                    .all(|&word| word == expected)
            );
        }
    }
    for (i, value) in program.values.iter().enumerate() {
        if let (ValueKind::Weight { .. }, Place::Weights(n)) = (&value.kind, plan.windows[i].place)
        {
            prop_assert!(
                weights[n][range(&plan.windows[i])]
                    .iter()
                    .all(|&word| word == i as u32)
            );
        }
    }
    prop_assert_eq!(plan.peak, plan.arenas.iter().sum::<u64>());
    prop_assert!(plan.peak >= plan.lower_bound);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn every_reader_of_a_random_program_finds_what_was_written(steps in random_steps(), small in any::<bool>()) {
        let max_buffer = if small { 4096 } else { 1 << 20 };
        let storage_alignment = if small { 256 } else { 32 };
        let limits = PlanLimits { storage_alignment, max_binding: 4096, max_buffer };
        simulate(&program_of(&steps), &limits)?;
    }

    #[test]
    fn the_same_program_gives_the_same_plan(steps in random_steps()) {
        let program = program_of(&steps);
        prop_assert_eq!(plan(&program, &LIMITS), plan(&program.clone(), &LIMITS));
    }

    #[test]
    fn a_chain_stays_within_three_halves_of_the_lower_bound(sizes in prop::collection::vec(1_u64..5000, 2..60)) {
        let plan = plan(&chain(&sizes), &LIMITS).unwrap();
        prop_assert!(plan.peak >= plan.lower_bound);
        prop_assert!(2 * plan.peak <= 3 * plan.lower_bound, "{} of {}", plan.peak, plan.lower_bound);
    }

    /// Blocks as a model has them: each reads the residual stream, widens, narrows, and adds to it.
    #[test]
    fn a_residual_stream_stays_within_twice_the_lower_bound(
        width in 1_u64..2000,
        blocks in prop::collection::vec(prop::collection::vec(1_u64..9000, 1..6), 1..10),
    ) {
        let mut program = Program::default();
        let mut stream = program.input(width, "x");
        for sizes in &blocks {
            let mut last = stream;
            for &size in sizes {
                let next = program.temporary(size);
                program.dispatch(&[last], next);
                last = next;
            }
            let sum = program.temporary(width);
            program.dispatch(&[stream, last], sum);
            stream = sum;
        }
        program.output("y", stream);
        let plan = plan(&program, &LIMITS).unwrap();
        prop_assert!(plan.peak <= 2 * plan.lower_bound, "{} of {}", plan.peak, plan.lower_bound);
    }
}
