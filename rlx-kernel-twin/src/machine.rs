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
mod sink;
mod subgroup;
mod wide;

use crate::finding::{Check, Invocation, Source};
use crate::memory::Buffer;
use crate::memory::shadow::{SUBGROUP, Shadow, Touch};
use crate::options::SimOptions;
use crate::program::code::{Fence, Input};
use crate::program::{Memory, MemoryId, Op, PlaceId, Preload, Program, Reg, Regs, Space, Step};
use crate::report::{Trace, Undecided};
pub(crate) use access::describe;
use error::Errors;
use flow::{Frame, Left, LoopMasks};
use matrix::Matrices;
pub(crate) use number::{show, shown};
pub(crate) use sink::Sink;

/// The address of an element that is not there.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The traces that a run keeps.
const MAX_TRACES: usize = 10_000;

/// What is the same for all workgroups of a run.
pub(crate) struct Run<'r> {
    pub program: &'r Program,
    pub options: &'r SimOptions,
    pub params: &'r [u8],
    pub overrides: &'r [i64],
    pub grid: [u32; 3],
    pub storage: &'r [Buffer],
    /// The binding that holds the memory of each.
    pub slots: Vec<usize>,
    pub subgroup_size: u32,
    /// The order in which invocations perform an access.
    pub order: Vec<u32>,
    /// The bytes of each storage binding that may be written.
    pub windows: Vec<std::ops::Range<u64>>,
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
        let (mut workgroup, mut shadows) = (Vec::new(), Vec::new());
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

    /// What is known of each memory.
    pub fn into_shadows(self) -> Vec<Option<Shadow>> {
        self.shadows
    }

    fn preload(&mut self, index: usize, preload: Preload) {
        let run = self.run;
        let [wide, high, _] = run.program.workgroup_size.map(|size| size.max(1));
        let [across, down, _] = run.grid;
        let [x, y, z] = self.group;
        let size = run.subgroup_size;
        let lanes = run.program.lanes();
        let folded = x.wrapping_add(y.wrapping_mul(across));
        let value = |lane: u32| match preload {
            Preload::Const(bits) => bits,
            Preload::Override(index) => {
                let value = run.overrides.get(index as usize);
                value.map_or(0, |value| *value as u32)
            }
            Preload::Param(offset) => {
                let at = offset as usize;
                let word = run.params.get(at..at + 4);
                word.and_then(|word| word.try_into().ok())
                    .map_or(0, u32::from_le_bytes)
            }
            Preload::ParamHalf(offset) => {
                let at = offset as usize;
                let half = run.params.get(at..at + 2);
                half.and_then(|half| half.try_into().ok())
                    .map_or(0, |half| half::f16::from_le_bytes(half).to_f32().to_bits())
            }
            Preload::Length(memory) => {
                let known = run.program.memories.get(memory.0 as usize);
                let stride = known.map_or(1, |memory| memory.stride.max(1));
                let bytes = match known.map(|memory| memory.space) {
                    Some(Space::Workgroup { bytes }) => Some(bytes),
                    _ => run.storage.get(run.slot(memory)).map(|buffer| buffer.bytes),
                };
                bytes.map_or(0, |bytes| bytes / stride)
            }
            Preload::Input(input) => match input {
                Input::LocalX => lane % wide,
                Input::LocalY => lane / wide % high,
                Input::LocalZ => lane / wide / high,
                Input::WorkgroupX => x,
                Input::WorkgroupY => y,
                Input::WorkgroupZ => z,
                Input::GlobalX => x.wrapping_mul(wide).wrapping_add(lane % wide),
                Input::GlobalY => y.wrapping_mul(high).wrapping_add(lane / wide % high),
                Input::GlobalZ => {
                    let deep = run.program.workgroup_size[2];
                    z.wrapping_mul(deep).wrapping_add(lane / wide / high)
                }
                Input::NumWorkgroupsX => across,
                Input::NumWorkgroupsY => down,
                Input::NumWorkgroupsZ => run.grid[2],
                Input::LocalIndex => lane,
                Input::WorkgroupIndex => folded,
                Input::GlobalIndex => folded.wrapping_mul(lanes).wrapping_add(lane),
                Input::SubgroupLane => lane % size,
                Input::SubgroupSize => size,
                Input::SubgroupId => lane / size,
                Input::NumSubgroups => lanes.div_ceil(size),
            },
        };
        if let Some(register) = self.registers.get_mut(index) {
            for (lane, word) in register.iter_mut().enumerate() {
                *word = value(lane as u32);
            }
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
            | Op::BreakIf { .. }
            | Op::Break {}
            | Op::Continue {}
            | Op::Return {} => {}
        }
    }

    fn trace(
        &mut self,
        what: crate::program::NameId,
        kind: crate::program::Kind,
        a: Regs,
        at: PlaceId,
    ) {
        for lane in 0..self.active.len() {
            if !self.is_active(lane) || self.traces.len() == MAX_TRACES {
                continue;
            }
            let words = (0..a.count).map(|index| self.word(a.at(index), lane));
            let value = shown(kind, &words.collect::<Vec<_>>());
            self.traces.push(Trace {
                what: self.name(what).into(),
                value,
                who: self.who(lane),
                at: self.run.source(at),
            });
        }
    }
}

impl Run<'_> {
    /// The memory that holds what `id` binds.
    pub fn slot(&self, id: MemoryId) -> usize {
        let index = id.0 as usize;
        self.slots.get(index).copied().unwrap_or(index)
    }

    /// The source of a place.
    pub fn source(&self, at: PlaceId) -> Source {
        let place = self.program.places.get(at.0 as usize).copied();
        let place = place.unwrap_or_default();
        let file = self.program.files.get(place.file as usize);
        Source {
            file: file.cloned().unwrap_or_default(),
            line: place.line,
            column: place.column,
        }
    }

    /// Invocation `lane` of a workgroup; of a subgroup, its first.
    pub fn invocation(&self, workgroup: [u32; 3], lane: u32) -> Invocation {
        let lane = lane & !SUBGROUP;
        let [wide, high, _] = self.program.workgroup_size.map(|size| size.max(1));
        Invocation {
            workgroup,
            local: [lane % wide, lane / wide % high, lane / wide / high],
            local_index: lane,
        }
    }

    /// Where the `serial`-th workgroup of the run lies in the grid.
    pub fn group(&self, serial: u32) -> [u32; 3] {
        let count = self.grid.iter().product();
        let order = self.options.group_order.of(count);
        let index = order
            .get(serial.saturating_sub(1) as usize)
            .copied()
            .unwrap_or(0);
        self.group_at(index)
    }

    /// Workgroup `index` of the grid, counted along x first.
    pub fn group_at(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.grid.map(|count| count.max(1));
        [index % x, index / x % y, index / x / y]
    }
}
