//! A workgroup in lockstep: all invocations execute an instruction together.

mod access;
mod arithmetic;
mod atomic;
mod check;
mod convert;
mod error;
mod flow;
mod lanes;
mod matrix;
mod number;
mod preload;
mod run;
mod sink;
mod subgroup;
mod trace;
mod wide;

use crate::finding::{Check, Invocation};
use crate::memory::Buffer;
use crate::memory::atomics::{Atomics, Mix};
use crate::memory::shadow::{Shadow, Touch};
use crate::program::code::Fence;
use crate::program::{Memory, MemoryId, Op, PlaceId, Preload, Reg, Regs, Space, Step};
use crate::report::{Trace, Undecided};
pub(crate) use access::describe;
use error::Errors;
use flow::{Frame, Left, LoopMasks};
use matrix::Matrices;
pub(crate) use number::{show, shown};
pub(crate) use run::Run;
pub(crate) use sink::Sink;

/// The address of an element that is not there.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The mixes of atomics that a run keeps.
const MAX_MIXES: usize = 16;

/// The traces that a run keeps.
const MAX_TRACES: usize = 10_000;

/// What is known after a run.
#[derive(Default)]
pub(crate) struct Known {
    /// Who wrote each memory last.
    pub shadows: Vec<Option<Shadow>>,
    /// Atomics whose order may matter, one for each two places.
    pub mixes: Vec<(MemoryId, Mix)>,
}

/// The invocations of a workgroup, and what they share.
pub(crate) struct Machine<'r> {
    pub run: &'r Run<'r>,
    registers: Vec<Box<[u32]>>,
    /// All ones for an invocation that takes part, else 0.
    active: Box<[u32]>,
    taking_part: u64,
    workgroup: Vec<Buffer>,
    /// One for each memory; none where there is nothing to look for.
    shadows: Vec<Option<Shadow>>,
    /// The same for atomics.
    atomics: Vec<Option<Atomics>>,
    /// The first atomics whose order may matter, by their places.
    mixes: Vec<(MemoryId, Mix)>,
    group: [u32; 3],
    serial: u32,
    /// Barriers passed, by the memory that they order.
    epochs: [u32; 2],
    /// How far other devices may lie, where that is asked for.
    errors: Option<Errors>,
    matrices: Matrices,
    left: Vec<Option<Left>>,
    frames: Vec<Frame>,
    loops: Vec<LoopMasks>,
    spare: Vec<Box<[u32]>>,
    pub sink: Sink,
    pub traces: Vec<Trace>,
    pub steps: u64,
}

impl<'r> Machine<'r> {
    /// A machine for `run`. `alone` says that no other machine works on the storage at the same time.
    pub fn new(run: &'r Run<'r>, alone: bool) -> Self {
        let program = run.program;
        let lanes = program.lanes() as usize;
        let zeros = || vec![0; lanes].into_boxed_slice();
        let mut storage = run.storage.iter();
        let (mut workgroup, mut shadows, mut atomics) = (Vec::new(), Vec::new(), Vec::new());
        for memory in &program.memories {
            let shadow = match memory.space {
                Space::Workgroup { bytes } => {
                    workgroup.push(Buffer::zeroed(bytes));
                    Some(Shadow::new(bytes, memory.granule, false, false))
                }
                Space::Storage { writable } => {
                    let bytes = storage.next().map_or(0, |buffer| buffer.bytes);
                    let filled = !run.options.undefined.contains(&memory.name);
                    (writable && alone).then(|| Shadow::new(bytes, memory.granule, true, filled))
                }
            };
            let words = match memory.space {
                Space::Workgroup { bytes } => Some(Atomics::new(bytes, false)),
                Space::Storage { .. } => shadow
                    .as_ref()
                    .map(|shadow| Atomics::new(shadow.bytes(), true)),
            };
            atomics.push(words.filter(|_| memory.atomic && alone));
            // Atomics never race; who wrote them last is known all the same.
            let is_known = !memory.atomic || matches!(memory.space, Space::Storage { .. });
            shadows.push(shadow.filter(|_| is_known));
        }
        let mut machine = Self {
            run,
            registers: (0..program.registers).map(|_| zeros()).collect(),
            active: zeros(),
            taking_part: 0,
            workgroup,
            shadows,
            atomics,
            mixes: Vec::new(),
            group: [0; 3],
            serial: 0,
            epochs: [0; 2],
            errors: None,
            matrices: Matrices::default(),
            left: vec![None; lanes],
            frames: Vec::new(),
            loops: Vec::new(),
            spare: Vec::new(),
            sink: Sink::default(),
            traces: Vec::new(),
            steps: 0,
        };
        for (index, preload) in program.preloads.iter().enumerate() {
            machine.preload(index, *preload);
        }
        if run.options.bounds && alone {
            let storage = run.storage.iter().map(|buffer| buffer.bytes);
            let workgroup = machine.workgroup.iter().map(|buffer| buffer.bytes);
            let bytes: Vec<u32> = storage.chain(workgroup).collect();
            machine.errors = Some(Errors::new(program, &bytes));
        }
        machine
    }

    /// The bounds of what a storage binding holds, a word or a half each; none where they were not
    /// asked for.
    pub fn bounds(&self, binding: usize) -> Option<Vec<f64>> {
        let errors = self.errors.as_ref()?;
        let memory = self.run.program.memories.get(binding)?;
        let step = if memory.granule == 2 { 1 } else { 2 };
        Some(errors.of(binding, step))
    }

    /// The comparisons that were too close to call.
    pub fn undecided(&self) -> Vec<Undecided> {
        let errors = self.errors.as_ref();
        let all = errors.map(|errors| errors.undecided.values().cloned());
        let mut all: Vec<_> = all.into_iter().flatten().collect();
        all.sort_by(|a, b| a.at.cmp(&b.at));
        all
    }

    /// Runs workgroup `group`, the `serial`-th of the run, counted from 1.
    pub fn workgroup(&mut self, group: [u32; 3], serial: u32) {
        self.group = group;
        self.serial = serial;
        self.epochs = [0; 2];
        self.left.fill(None);
        self.active.fill(u32::MAX);
        self.taking_part = self.active.len() as u64;
        for buffer in &self.workgroup {
            buffer.clear();
        }
        if let Some(errors) = &mut self.errors {
            errors.clear(self.run.storage.len());
        }
        for (index, preload) in self.run.program.preloads.iter().enumerate() {
            if let Preload::Input(_) = preload {
                self.preload(index, *preload);
            }
        }
        let program = self.run.program;
        self.block(&program.body);
    }

    /// What is known of each memory, and of atomics.
    pub fn into_known(self) -> Known {
        Known {
            shadows: self.shadows,
            mixes: self.mixes,
        }
    }

    /// The words of a register.
    fn reg(&self, reg: Reg) -> &[u32] {
        self.registers
            .get(reg.0 as usize)
            .map_or(&[], |words| words)
    }

    fn word(&self, reg: Reg, lane: usize) -> u32 {
        self.reg(reg).get(lane).copied().unwrap_or(0)
    }

    /// Takes the words of a register out, to be written.
    fn take(&mut self, reg: Reg) -> Box<[u32]> {
        self.registers
            .get_mut(reg.0 as usize)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    fn give(&mut self, reg: Reg, words: Box<[u32]>) {
        if let Some(register) = self.registers.get_mut(reg.0 as usize) {
            *register = words;
        }
    }

    fn set(&mut self, reg: Reg, lane: usize, value: u32) {
        let word = self.registers.get_mut(reg.0 as usize);
        if let Some(word) = word.and_then(|words| words.get_mut(lane)) {
            *word = value;
        }
    }

    fn is_active(&self, lane: usize) -> bool {
        self.active.get(lane).is_some_and(|mask| *mask != 0)
    }

    fn is_full(&self) -> bool {
        self.taking_part == self.active.len() as u64
    }

    fn memory(&self, id: MemoryId) -> Option<&'r Memory> {
        self.run.program.memories.get(id.0 as usize)
    }

    fn buffer(&self, id: MemoryId) -> Option<&Buffer> {
        let index = self.run.slot(id);
        match index.checked_sub(self.run.storage.len()) {
            None => self.run.storage.get(index),
            Some(index) => self.workgroup.get(index),
        }
    }

    fn touch(&self, memory: &Memory, lane: usize, at: PlaceId) -> Touch {
        let fence = match memory.space {
            Space::Storage { .. } => Fence::Storage,
            Space::Workgroup { .. } => Fence::Workgroup,
        };
        Touch {
            group: self.serial,
            epoch: self.epochs[fence as usize],
            lane: lane as u32,
            at,
        }
    }

    fn looks_for(&self, check: Check) -> bool {
        self.run.options.looks_for(check)
    }

    /// The invocation of a lane of this workgroup.
    fn who(&self, lane: usize) -> Invocation {
        self.run.invocation(self.group, lane as u32)
    }

    fn name(&self, id: crate::program::NameId) -> &'r str {
        self.run
            .program
            .names
            .get(id.0 as usize)
            .map_or("", String::as_str)
    }

    fn copy(&mut self, to: Regs, from: Regs) {
        for index in 0..to.count.min(from.count) {
            let (target, source) = (to.at(index), from.at(index));
            if target == source {
                continue;
            }
            let mut words = self.take(target);
            if self.is_full() {
                words.copy_from_slice(self.reg(source));
            } else {
                let pairs = self.reg(source).iter().zip(&self.active);
                for (word, (new, mask)) in words.iter_mut().zip(pairs) {
                    *word = *word & !mask | new & mask;
                }
            }
            self.give(target, words);
        }
    }

    /// One instruction that is no control flow.
    fn plain(&mut self, Step { at, op }: &Step) {
        let at = *at;
        match op {
            Op::Copy { to, from } => self.copy(*to, *from),
            Op::Unary { op, to, a } => self.unary(*op, *to, *a, at),
            Op::Binary { op, to, a, b } => self.binary(*op, *to, [*a, *b], at),
            Op::Ternary { op, to, a, b, c } => self.ternary(*op, *to, [*a, *b, *c], at),
            Op::WideUnary { op, to, a } => self.wide_unary(*op, *to, *a, at),
            Op::Wide { op, to, a, b } => self.wide(*op, *to, [*a, *b], at),
            Op::Convert { op, to, a } => self.convert(*op, *to, *a, at),
            Op::InsertBits {
                to,
                a,
                b,
                offset,
                count,
            } => self.insert_bits(*to, [*a, *b, *offset, *count]),
            Op::Unpack { op, to, a } => self.unpack(*op, *to, *a),
            Op::Pack { op, to, a } => self.pack(*op, *to, *a),
            Op::Index { .. } => self.index(op, at),
            Op::Load {
                to,
                memory,
                address,
                offset,
            } => self.load(*to, *memory, (*address, *offset), at),
            Op::LoadHalf {
                to,
                memory,
                address,
                offset,
            } => self.load_half(*to, *memory, (*address, *offset), at),
            Op::StoreHalf {
                from,
                memory,
                address,
                offset,
            } => self.store_half(*from, *memory, (*address, *offset), at),
            Op::Store {
                from,
                memory,
                address,
                offset,
            } => self.store(*from, *memory, (*address, *offset), at),
            Op::Atomic {
                op,
                to,
                memory,
                address,
                offset,
                a,
                b,
            } => self.atomic(*op, *to, (*memory, *address, *offset), [*a, *b], at),
            Op::Packed {
                op,
                to,
                memory,
                address,
            } => self.packed(*op, *to, *memory, *address, at),
            Op::Pick {
                to,
                from,
                address,
                offset,
            } => self.pick(*to, *from, *address, *offset),
            Op::Put {
                from,
                to,
                address,
                offset,
            } => self.put(*from, *to, *address, *offset),
            Op::Barrier { fence } => self.barrier(*fence, at),
            Op::Reduce { op, scan, to, a } => self.reduce(*op, *scan, *to, *a, at),
            Op::Move { op, to, a, by } => self.shift(*op, *to, *a, *by, at),
            Op::Ballot { to, a } => self.ballot(*to, *a, at),
            Op::Elect { to } => self.elect(*to, at),
            Op::MatrixLoad { to, tile } => self.load_matrix(*to, tile, at),
            Op::MatrixStore { from, tile } => self.store_matrix(*from, tile, at),
            Op::MatrixMultiplyAdd {
                to,
                a,
                b,
                c,
                size,
                half,
            } => self.multiply_add(*to, [*a, *b, *c], (*size, *half), at),
            Op::MatrixBinary {
                op,
                to,
                a,
                b,
                size,
                half,
            } => self.matrix_binary(*op, *to, [*a, *b], (*size, *half), at),
            Op::MatrixScale {
                to,
                a,
                by,
                size,
                half,
            } => self.scale_matrix(*to, [*a, *by], (*size, *half), at),
            Op::Trace { what, kind, a } => self.trace(*what, *kind, *a, at),
            Op::If { .. }
            | Op::Loop { .. }
            | Op::Scope { .. }
            | Op::Turns { .. }
            | Op::BreakIf { .. }
            | Op::Break {}
            | Op::Continue {}
            | Op::Return {} => {}
        }
    }
}
