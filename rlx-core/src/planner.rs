//! The memory plan: a window for every value of a program, each aligned to the device's storage
//! alignment, so that every binding is a window and no kernel takes offsets.

mod arena;
mod check;
mod error;
mod liveness;
mod weight_buffers;

use rlx_kernels::kernel::BindingSet;

pub use self::error::PlanError;
use self::liveness::Values;
use crate::graph::ValueId;
use crate::program::Program;

/// WebGPU copies and binds in words of four bytes.
const WORD: u64 = 4;

/// A device's limits on windows and buffers, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanLimits {
    /// What the offset of a storage binding must be a multiple of; a power of two.
    pub storage_alignment: u64,
    /// The largest storage binding.
    pub max_binding: u64,
    /// The largest buffer.
    pub max_buffer: u64,
}

/// Where every value of a program lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The sizes in bytes of the buffers that hold inputs, outputs and temporaries.
    pub arenas: Vec<u64>,
    /// The read-only buffers that hold weights.
    pub weights: Vec<WeightBuffer>,
    /// The values that outlive a run, each alone in a buffer as large as its window.
    pub states: Vec<ValueId>,
    /// The window of each value, by [`ValueId`].
    pub windows: Vec<Window>,
    /// For each dispatch, the bindings that it only reads and yet must be bound `read_write`, since
    /// another binding of the dispatch writes into the same buffer.
    pub shared: Vec<BindingSet>,
    /// Bytes of all arenas.
    pub peak: u64,
    /// Bytes of the largest set of values that live at once, each rounded up to the alignment: no
    /// plan has a lower peak.
    pub lower_bound: u64,
}

/// The buffer that a window lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// One of [`Plan::arenas`].
    Arena(usize),
    /// One of [`Plan::weights`].
    Weights(usize),
    /// That of one of [`Plan::states`].
    State(usize),
}

/// A range of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The buffer.
    pub place: Place,
    /// Bytes from the buffer's start, a multiple of the storage alignment.
    pub offset: u64,
    /// Bytes: the value's, rounded up to a whole word and to at least one element of every binding
    /// that views it, since WebGPU binds nothing shorter.
    pub size: u64,
}

/// A buffer of weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeightBuffer {
    /// Bytes.
    pub size: u64,
    /// The weights in it, in the order of their windows.
    pub values: Vec<ValueId>,
}

/// Plans the memory of `program`.
///
/// Inputs live from the start and outputs to the end, states always; everything else from the first dispatch that
/// binds it to the last. Windows of values that live at the same time do not overlap, but for a value
/// with an `alias_of`, which has the window of that value. The same program and limits give the same
/// plan.
///
/// # Errors
/// [`PlanError`] where a value passes a limit, a dispatch binds what it cannot, or a value is read
/// before anything has written it or after something was written in its place.
pub fn plan(program: &Program, limits: &PlanLimits) -> Result<Plan, PlanError> {
    let values = Values::of(program, limits)?;
    let (weights, mut windows) = weight_buffers::place(&values, limits);
    let states: Vec<ValueId> = values.states().collect();
    for (index, state) in states.iter().enumerate() {
        windows[state.index()] = Some((Place::State(index), 0));
    }
    let blocks = values.blocks();
    let layout = arena::place(&blocks, values.max_arena())?;
    for (block, &(arena, offset)) in blocks.iter().zip(&layout.places) {
        windows[block.root.index()] = Some((Place::Arena(arena), offset));
    }
    let windows: Vec<Window> = values.windows(&windows)?;
    let shared = program.dispatches.iter().map(|dispatch| {
        let place = |id: &ValueId| windows.get(id.index()).map(|window| window.place);
        let bindings = || {
            dispatch
                .bindings
                .iter()
                .zip(dispatch.kernel.bindings.iter())
                .enumerate()
        };
        let written: Vec<_> = bindings()
            .filter(|(_, (_, info))| info.writable)
            .filter_map(|(_, (id, _))| place(id))
            .collect();
        bindings()
            .filter(|(_, (id, info))| {
                !info.writable && place(id).is_some_and(|place| written.contains(&place))
            })
            .fold(BindingSet::NONE, |set, (index, _)| set.with(index))
    });
    Ok(Plan {
        shared: shared.collect(),
        weights,
        states,
        peak: layout.peak()?,
        arenas: layout.arenas,
        lower_bound: arena::lower_bound(&blocks)?,
        windows,
    })
}
