//! Results that differ with the order of the invocations.

use crate::finding::{Check, Note};
use crate::machine::{self, Known, Run, Sink};
use crate::memory::atomics::Mix;
use crate::memory::shadow::Touch;
use crate::program::code::Update;
use crate::program::{MemoryId, PlaceId};
use crate::schedule::Schedule;

/// The pairs of atomics that a finding shows.
const MIXES_SHOWN: usize = 2;

/// The places of two atomics that do not commute.
fn mixed(run: &Run<'_>, id: MemoryId, mix: &Mix) -> Vec<Note> {
    let memory = run.program.memories.get(id.0 as usize);
    let place = memory.map_or_else(String::new, |memory| machine::describe(memory, mix.address));
    let note = |(touch, op): (Touch, Update), rest: &str| {
        let who = run.invocation(run.group(touch.group), touch.lane);
        Note {
            text: format!("{who} {} `{place}` here{rest}", verb(op)),
            at: Some(run.source(touch.at)),
        }
    };
    let between = if mix.now.0.group == mix.before.0.group {
        ", with no barrier between"
    } else {
        ", in another workgroup"
    };
    vec![note(mix.before, ""), note(mix.now, between)]
}

/// What an atomic does to a word.
fn verb(op: Update) -> &'static str {
    match op {
        Update::Load => "loads",
        Update::Store => "stores into",
        Update::Swap => "swaps",
        Update::CompareExchange => "compares and exchanges",
        _ => "updates",
    }
}

/// Reports the first element of each output in which two runs differ, at the line that wrote it.
pub(super) fn differs(
    run: &Run<'_>,
    (order, before): &(Schedule, Vec<Vec<u8>>),
    (other, after): (Schedule, &[Vec<u8>]),
    known: &Known,
    sink: &mut Sink,
) {
    let check = Check::OrderDependent;
    if !run.options.looks_for(check) {
        return;
    }
    let outputs = run.program.bindings().zip(before.iter().zip(after));
    for (index, (memory, (a, b))) in outputs.enumerate() {
        let words = (0..).step_by(4).zip(a.chunks(4).zip(b.chunks(4)));
        let differing: Vec<_> = words.filter(|(_, (a, b))| a != b).collect();
        let Some((address, (a, b))) = differing.first() else {
            continue;
        };
        let show = |bytes: &[u8]| {
            let word = bytes.try_into().map_or(0, u32::from_le_bytes);
            machine::show(memory.kind, word)
        };
        let place = machine::describe(memory, *address);
        let (a, b) = (show(a), show(b));
        let shadow = known.shadows.get(index).and_then(Option::as_ref);
        let writer = shadow.and_then(|shadow| shadow.last_write(*address));
        let at = writer.map_or(PlaceId(0), |writer| writer.at);
        let message = format!("`{place}` depends on the order in which invocations run");
        let help = if known.mixes.is_empty() {
            "a GPU runs them in any order: where that is meant, compare without order, and \
             `allow(Check::OrderDependent)`"
        } else {
            "a GPU runs them in any order: put a barrier between the atomics, or where that is meant, compare \
             without order, and `allow(Check::OrderDependent)`"
        };
        let mut finding = Sink::finding(run, check, at, message, help);
        finding.notes.push(Note {
            text: format!("it is {a} in order {order}, and {b} in order {other}"),
            at: None,
        });
        for (memory, mix) in known.mixes.iter().take(MIXES_SHOWN) {
            finding.notes.extend(mixed(run, *memory, mix));
        }
        sink.add(finding, (at, at), differing.len() as u64, None);
    }
}
