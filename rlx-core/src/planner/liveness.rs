//! The windows of a checked program: how large each is, what shares it, and when it is in use.

use super::check::{check_contents, check_ids, describe, roots};
use super::{Place, PlanError, PlanLimits, WORD, Window};
use crate::graph::ValueId;
use crate::program::{Program, ValueKind};

/// A window that must be found: a value and all that live in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The value that the others are aliases of.
    pub root: ValueId,
    /// Bytes, a multiple of the alignment.
    pub size: u64,
    /// The first moment of use: 0 before all dispatches, `i + 1` at dispatch `i`.
    pub begin: usize,
    /// The last moment of use; one past the last dispatch for outputs.
    pub end: usize,
}

impl Block {
    /// Whether both are in use at some moment.
    pub fn meets(&self, other: &Self) -> bool {
        self.begin <= other.end && other.begin <= self.end
    }
}

/// The facts of a checked program, by value.
pub(super) struct Values<'a> {
    program: &'a Program,
    alignment: u64,
    max_arena: u64,
    /// Bytes of each window.
    sizes: Vec<u64>,
    /// The end of each value's chain of aliases.
    roots: Vec<ValueId>,
    /// First and last moment of use of each root.
    live: Vec<(usize, usize)>,
}

impl<'a> Values<'a> {
    pub fn of(program: &'a Program, limits: &PlanLimits) -> Result<Self, PlanError> {
        let alignment = limits.storage_alignment;
        if !alignment.is_power_of_two() {
            return Err(PlanError::Alignment { alignment });
        }
        let alignment = alignment.max(WORD);
        check_ids(program)?;
        let sizes = window_sizes(program, limits)?;
        let roots = roots(program)?;
        check_contents(program, &roots)?;
        let live = live(program, &roots);
        let max_arena = limits.max_buffer - limits.max_buffer % alignment;
        Ok(Self {
            program,
            alignment,
            max_arena,
            sizes,
            roots,
            live,
        })
        .and_then(Self::within_buffers)
    }

    fn within_buffers(self) -> Result<Self, PlanError> {
        for (i, &size) in self.sizes.iter().enumerate() {
            let bytes = size
                .checked_next_multiple_of(self.alignment)
                .ok_or(PlanError::Overflow)?;
            if bytes > self.max_arena {
                let value = describe(self.program, ValueId(i as u32));
                return Err(PlanError::Buffer {
                    value,
                    bytes,
                    limit: self.max_arena,
                });
            }
        }
        Ok(self)
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The largest arena, a multiple of the alignment.
    pub fn max_arena(&self) -> u64 {
        self.max_arena
    }

    /// Each weight with the bytes of its window.
    pub fn weights(&self) -> impl Iterator<Item = (ValueId, u64)> {
        let kinds = self.program.values.iter().zip(self.padded()).enumerate();
        kinds.filter_map(|(i, (value, size))| match value.kind {
            ValueKind::Weight { .. } => Some((ValueId(i as u32), size)),
            ValueKind::Input | ValueKind::State { .. } | ValueKind::Temporary => None,
        })
    }

    /// The values that outlive a run.
    pub fn states(&self) -> impl Iterator<Item = ValueId> {
        let kinds = self.program.values.iter().enumerate();
        let states = kinds.filter(|(_, value)| matches!(value.kind, ValueKind::State { .. }));
        states.map(|(i, _)| ValueId(i as u32))
    }

    /// The windows to find in arenas, in the order of their values.
    pub fn blocks(&self) -> Vec<Block> {
        let padded = self.padded();
        let roots = self
            .program
            .values
            .iter()
            .zip(&self.roots)
            .zip(&self.live)
            .enumerate();
        let blocks = roots.filter_map(|(i, ((value, &root), &(begin, end)))| {
            let own =
                root.index() == i && matches!(value.kind, ValueKind::Input | ValueKind::Temporary);
            // `within_buffers` has seen that this does not overflow.
            own.then(|| Block {
                root,
                size: padded[i].next_multiple_of(self.alignment),
                begin,
                end,
            })
        });
        blocks.collect()
    }

    /// The window of every value, from the place of every root.
    pub fn windows(&self, placed: &[Option<(Place, u64)>]) -> Result<Vec<Window>, PlanError> {
        let windows = self.roots.iter().zip(&self.sizes).map(|(root, &size)| {
            let &(place, offset) =
                placed[root.index()]
                    .as_ref()
                    .ok_or_else(|| PlanError::NoSuchValue {
                        place: "the plan".into(),
                        value: *root,
                        values: placed.len(),
                    })?;
            Ok(Window {
                place,
                offset,
                size,
            })
        });
        windows.collect()
    }

    /// Offsets are multiples of this.
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// For each root, the bytes of the largest window in its place.
    fn padded(&self) -> Vec<u64> {
        let mut padded = self.sizes.clone();
        for (root, &size) in self.roots.iter().zip(&self.sizes) {
            padded[root.index()] = padded[root.index()].max(size);
        }
        padded
    }
}

/// The bytes of each value's window, checked against the largest binding if a dispatch binds it.
fn window_sizes(program: &Program, limits: &PlanLimits) -> Result<Vec<u64>, PlanError> {
    let mut bound = vec![false; program.values.len()];
    let mut sizes: Vec<u64> = program
        .values
        .iter()
        .map(|value| value.bytes.max(WORD))
        .collect();
    for dispatch in &program.dispatches {
        for (value, info) in dispatch
            .bindings
            .iter()
            .zip(dispatch.kernel.bindings.iter())
        {
            bound[value.index()] = true;
            sizes[value.index()] = sizes[value.index()].max(u64::from(info.stride));
        }
    }
    for (i, (size, bound)) in sizes.iter_mut().zip(bound).enumerate() {
        *size = size
            .checked_next_multiple_of(WORD)
            .ok_or(PlanError::Overflow)?;
        if bound && *size > limits.max_binding {
            let value = describe(program, ValueId(i as u32));
            return Err(PlanError::Binding {
                value,
                bytes: *size,
                limit: limits.max_binding,
            });
        }
    }
    Ok(sizes)
}

/// The first and the last moment of use of each root. What nothing uses lives at the start.
fn live(program: &Program, roots: &[ValueId]) -> Vec<(usize, usize)> {
    let mut live: Vec<Option<(usize, usize)>> = vec![None; roots.len()];
    let mut touch = |id: ValueId, moment: usize| {
        let (begin, end) = live[roots[id.index()].index()].get_or_insert((moment, moment));
        (*begin, *end) = ((*begin).min(moment), (*end).max(moment));
    };
    for (i, value) in program.values.iter().enumerate() {
        if value.kind == ValueKind::Input {
            touch(ValueId(i as u32), 0);
        }
    }
    for (i, dispatch) in program.dispatches.iter().enumerate() {
        for &id in &dispatch.bindings {
            touch(id, i + 1);
        }
    }
    for (_, id) in &program.outputs {
        touch(*id, program.dispatches.len() + 1);
    }
    live.into_iter().map(Option::unwrap_or_default).collect()
}
