//! Reads and writes of memory and of variables, with their checks.

use super::number::show;
use super::{Machine, NOWHERE, Sink};
use crate::finding::{Check, Invocation, Note};
use crate::memory::shadow::{Conflict, SUBGROUP};
use crate::program::code::{Kind, Raw};
use crate::program::{Memory, MemoryId, Op, PlaceId, Reg, Regs, Space};

impl Machine<'_> {
    /// The lanes that take part, in the order of the run.
    fn turns(&self, turn: usize) -> Option<usize> {
        let lane = self.run.order.get(turn).copied()? as usize;
        Some(lane)
    }

    pub(super) fn index(&mut self, op: &Op, at: PlaceId) {
        let Op::Index {
            to,
            add,
            index,
            stride,
            len,
            signed,
            written,
            what,
        } = op
        else {
            return;
        };
        let mut out = self.take(*to);
        let mut outside = 0;
        let (indices, lens) = (self.reg(*index), self.reg(*len));
        match add.map(|add| self.reg(add)) {
            None => {
                let lanes = indices.iter().zip(lens).zip(&self.active);
                for (out, ((index, len), active)) in out.iter_mut().zip(lanes) {
                    let is_out = u32::from(index >= len);
                    outside |= is_out & active;
                    *out = index.wrapping_mul(*stride) | is_out.wrapping_neg();
                }
            }
            Some(add) => {
                let lanes = indices.iter().zip(lens).zip(add).zip(&self.active);
                for (out, (((index, len), add), active)) in out.iter_mut().zip(lanes) {
                    let is_out = u32::from(index >= len || *add == NOWHERE);
                    outside |= u32::from(index >= len) & active;
                    *out = index.wrapping_mul(*stride).wrapping_add(*add) | is_out.wrapping_neg();
                }
            }
        }
        self.give(*to, out);
        if outside != 0 && self.looks_for(Check::OutOfBounds) {
            let lanes: Vec<usize> = (0..self.active.len())
                .filter(|lane| {
                    self.is_active(*lane) && self.word(*index, *lane) >= self.word(*len, *lane)
                })
                .collect();
            let Some(first) = lanes.first().copied() else {
                return;
            };
            let count = lanes.len() as u64;
            if self.sink.again(Check::OutOfBounds, (at, at), count) {
                return;
            }
            let kind = if *signed { Kind::I32 } else { Kind::U32 };
            let (found, len) = (show(kind, self.word(*index, first)), self.word(*len, first));
            let what = self.name(*what);
            let verb = if *written { "written" } else { "read" };
            let message = format!("`{what}[{found}]` is {verb}, but `{what}` has {len} elements");
            let help = if *written {
                "a GPU may write another element or none: guard the write with an `if`"
            } else {
                "a GPU may read another element or zero: guard the read with an `if`, or require the length with `#[requires(..)]`"
            };
            let finding = Sink::finding(self.run, Check::OutOfBounds, at, message, help);
            let who = Some(self.who(first));
            self.sink.add(finding, (at, at), count, who);
        }
    }

    pub(super) fn load(
        &mut self,
        to: Regs,
        id: MemoryId,
        (address, offset): (Option<Reg>, u32),
        at: PlaceId,
    ) {
        let Some(memory) = self.memory(id) else {
            return;
        };
        let has_shadow = self.shadow(id).is_some();
        for index in 0..to.count {
            let add = offset.wrapping_add(4 * index);
            let mut out = self.take(to.at(index));
            if let (false, Some(address)) = (has_shadow, address) {
                if let Some(buffer) = self.buffer(id) {
                    let lanes = self.reg(address).iter().zip(&self.active);
                    for (out, (address, active)) in out.iter_mut().zip(lanes) {
                        let address = address.checked_add(add);
                        *out = match address {
                            Some(address) if *active != 0 => buffer.load(address),
                            _ => 0,
                        };
                    }
                }
            } else {
                for turn in 0..out.len() {
                    let Some(lane) = self.turns(turn).filter(|lane| self.is_active(*lane)) else {
                        continue;
                    };
                    let base = address.map_or(0, |address| self.word(address, lane));
                    let value = match base.checked_add(add) {
                        Some(address) if base != NOWHERE => {
                            self.read(memory, id, lane, address, at)
                        }
                        _ => 0,
                    };
                    if let Some(out) = out.get_mut(lane) {
                        *out = value;
                    }
                }
            }
            self.give(to.at(index), out);
        }
    }

    /// Halves of words, as `f32`.
    pub(super) fn load_half(
        &mut self,
        to: Regs,
        id: MemoryId,
        (address, offset): (Option<Reg>, u32),
        at: PlaceId,
    ) {
        let Some(memory) = self.memory(id) else {
            return;
        };
        for index in 0..to.count {
            let mut out = self.take(to.at(index));
            for turn in 0..out.len() {
                let Some(lane) = self.turns(turn).filter(|lane| self.is_active(*lane)) else {
                    continue;
                };
                let base = address.map_or(0, |address| self.word(address, lane));
                let place = base.checked_add(offset.wrapping_add(2 * index));
                let value = match place {
                    Some(place) if base != NOWHERE => {
                        let word = self.read(memory, id, lane, place, at);
                        (word >> (place % 4 * 8)) as u16
                    }
                    _ => 0,
                };
                if let Some(out) = out.get_mut(lane) {
                    *out = half::f16::from_bits(value).to_f32().to_bits();
                }
            }
            self.give(to.at(index), out);
        }
    }

    pub(super) fn store_half(
        &mut self,
        from: Regs,
        id: MemoryId,
        (address, offset): (Option<Reg>, u32),
        at: PlaceId,
    ) {
        let Some(memory) = self.memory(id) else {
            return;
        };
        for turn in 0..self.active.len() {
            let Some(lane) = self.turns(turn).filter(|lane| self.is_active(*lane)) else {
                continue;
            };
            let base = address.map_or(0, |address| self.word(address, lane));
            if base == NOWHERE {
                continue;
            }
            for index in 0..from.count {
                let Some(place) = base.checked_add(offset.wrapping_add(2 * index)) else {
                    continue;
                };
                let value = f32::from_bits(self.word(from.at(index), lane));
                self.access(memory, id, lane, (place, value.to_bits()), at);
                if let Some(buffer) = self.buffer(id) {
                    buffer.store_half(place, half::f16::from_f32(value).to_bits());
                }
            }
        }
    }

    pub(super) fn shadow(&mut self, id: MemoryId) -> Option<&mut crate::memory::shadow::Shadow> {
        let slot = self.run.slot(id);
        self.shadows.get_mut(slot)?.as_mut()
    }

    /// One word, with its shadow.
    pub(super) fn read(
        &mut self,
        memory: &Memory,
        id: MemoryId,
        lane: usize,
        address: u32,
        at: PlaceId,
    ) -> u32 {
        let value = self.buffer(id).map_or(0, |buffer| buffer.load(address));
        let now = self.touch(memory, lane, at);
        let Some(shadow) = self.shadow(id) else {
            return value;
        };
        let (conflict, is_written) = shadow.read(address, now);
        if let Some(conflict) = conflict {
            self.race(memory, (address, value), conflict, lane, (false, at));
        }
        if !is_written {
            self.uninitialised(memory, address, lane, at);
        }
        value
    }

    pub(super) fn store(
        &mut self,
        from: Regs,
        id: MemoryId,
        (address, offset): (Option<Reg>, u32),
        at: PlaceId,
    ) {
        let Some(memory) = self.memory(id) else {
            return;
        };
        for turn in 0..self.active.len() {
            let Some(lane) = self.turns(turn).filter(|lane| self.is_active(*lane)) else {
                continue;
            };
            let base = address.map_or(0, |address| self.word(address, lane));
            if base == NOWHERE {
                continue;
            }
            for index in 0..from.count {
                let Some(address) = base.checked_add(offset.wrapping_add(4 * index)) else {
                    continue;
                };
                let value = self.word(from.at(index), lane);
                self.write(memory, id, lane, (address, value), at);
            }
        }
    }

    pub(super) fn write(
        &mut self,
        memory: &Memory,
        id: MemoryId,
        lane: usize,
        (address, value): (u32, u32),
        at: PlaceId,
    ) {
        self.access(memory, id, lane, (address, value), at);
        if let Some(buffer) = self.buffer(id) {
            buffer.store(address, value);
        }
    }

    /// What is to be known and said of a write.
    pub(super) fn access(
        &mut self,
        memory: &Memory,
        id: MemoryId,
        lane: usize,
        (address, value): (u32, u32),
        at: PlaceId,
    ) {
        let now = self.touch(memory, lane, at);
        self.declared(memory, id, lane, address, at);
        let conflict = self
            .shadow(id)
            .and_then(|shadow| shadow.write(address, now));
        if let Some(conflict) = conflict {
            self.race(memory, (address, value), conflict, lane, (true, at));
        }
    }

    /// A write outside the outputs that the run declares.
    pub(super) fn declared(
        &mut self,
        memory: &Memory,
        id: MemoryId,
        lane: usize,
        address: u32,
        at: PlaceId,
    ) {
        let Some(window) = self.run.windows.get(id.0 as usize) else {
            return;
        };
        if window.contains(&u64::from(address)) || !self.looks_for(Check::Undeclared) {
            return;
        }
        if self.sink.again(Check::Undeclared, (at, at), 1) {
            return;
        }
        let stride = u64::from(memory.stride.max(1));
        let place = describe(memory, address);
        let (from, to) = (window.start / stride, window.end / stride);
        let message = format!(
            "`{place}` is written, but the outputs of this run are `{}[{from}..{to}]`",
            memory.name
        );
        let help = "guard the write with an `if`: what lies there belongs to somebody else";
        let finding = Sink::finding(self.run, Check::Undeclared, at, message, help);
        let who = Some(self.who(lane));
        self.sink.add(finding, (at, at), 1, who);
    }

    fn uninitialised(&mut self, memory: &Memory, address: u32, lane: usize, at: PlaceId) {
        let check = Check::Uninitialised;
        if !self.looks_for(check) || self.sink.again(check, (at, at), 1) {
            return;
        }
        let place = describe(memory, address);
        let (message, help) = match memory.space {
            Space::Workgroup { .. } => (
                format!("`{place}` is read, but no invocation of the workgroup has written it"),
                "write every element that is read, and put a barrier between; that workgroup memory begins as zeros is \
                 seldom what is meant",
            ),
            Space::Storage { .. } => (
                format!("`{place}` is read before it is written"),
                "write it first, or give the run a value for it",
            ),
        };
        let finding = Sink::finding(self.run, check, at, message, help);
        let who = Some(self.who(lane));
        self.sink.add(finding, (at, at), 1, who);
    }

    fn race(
        &mut self,
        memory: &Memory,
        (address, value): (u32, u32),
        conflict: Conflict,
        lane: usize,
        (writes, at): (bool, PlaceId),
    ) {
        let other = conflict.other;
        let check = Check::Race;
        if !self.looks_for(check) || self.sink.again(check, (at, other.at), 1) {
            return;
        }
        let place = describe(memory, address);
        let mine = if writes { "written" } else { "read" };
        let theirs = if conflict.wrote { "written" } else { "read" };
        let both = if mine == theirs {
            format!("{mine} by two invocations")
        } else {
            "written by one invocation and read by another".to_string()
        };
        let is_same_group = other.group == self.serial;
        let between = if is_same_group {
            "with no barrier between"
        } else {
            "in different workgroups"
        };
        let message = format!("`{place}` is {both}, {between}");
        let help = match (is_same_group, memory.space) {
            (false, _) => {
                "workgroups run in any order, or at once: let each write elements of its own, use atomics, or split the \
                 kernel in two"
            }
            (true, Space::Workgroup { .. }) => {
                "put `workgroup_barrier();` between the two, where all invocations reach it, or use an atomic"
            }
            (true, Space::Storage { .. }) => {
                "let each invocation write elements of its own, or put `storage_barrier();` between the two: \
                 `workgroup_barrier()` does not order storage memory"
            }
        };
        let shown = show(memory.kind, value);
        let who = self.who(lane);
        let other_who = self.run.invocation(self.run.group(other.group), other.lane);
        let actor = actor(who, lane as u32);
        let mut finding = Sink::finding(self.run, check, at, message, help);
        finding.notes.push(Self::value_note(if writes {
            format!("{actor} writes {shown}")
        } else {
            format!("{actor} reads {shown}")
        }));
        let other_actor = self::actor(other_who, other.lane);
        finding.notes.push(Note {
            text: format!("{other_actor} has {theirs} it here"),
            at: Some(self.run.source(other.at)),
        });
        self.sink.add(finding, (at, other.at), 1, Some(who));
    }

    pub(super) fn packed(&mut self, op: Raw, to: Reg, id: MemoryId, address: Reg, at: PlaceId) {
        let Some(memory) = self.memory(id) else {
            return;
        };
        let mut out = self.take(to);
        let bytes = self.buffer(id).map_or(0, |buffer| buffer.bytes);
        let size = op.size();
        let mut outside = 0;
        if let Some(buffer) = self.buffer(id) {
            let lanes = self.reg(address).iter().zip(&self.active);
            for (out, (address, active)) in out.iter_mut().zip(lanes) {
                let end = address.checked_add(size);
                if end.is_none_or(|end| end > bytes) {
                    outside |= active;
                    *out = 0;
                    continue;
                }
                let word = buffer.load_unaligned(*address);
                *out = match op {
                    Raw::U8 => word & 0xff,
                    Raw::I8 => word as i8 as i32 as u32,
                    Raw::U16 => word & 0xffff,
                    Raw::I16 => word as i16 as i32 as u32,
                    Raw::U32 | Raw::F32 => word,
                    Raw::F16 => half::f16::from_bits(word as u16).to_f32().to_bits(),
                };
            }
        }
        self.give(to, out);
        if outside != 0 && self.looks_for(Check::OutOfBounds) {
            let is_out = |lane: usize| {
                let end = self.word(address, lane).checked_add(size);
                self.is_active(lane) && end.is_none_or(|end| end > bytes)
            };
            let lanes: Vec<usize> = (0..self.active.len())
                .filter(|lane| is_out(*lane))
                .collect();
            let Some(first) = lanes.first().copied() else {
                return;
            };
            let count = lanes.len() as u64;
            if self.sink.again(Check::OutOfBounds, (at, at), count) {
                return;
            }
            let name = &memory.name;
            let found = self.word(address, first);
            let message = format!(
                "byte {found} of `{name}` is read, but `{name}` has {bytes} bytes of packed blocks"
            );
            let help = "guard the read with an `if`, or require the blocks with `#[requires(w.blocks() >= ..)]`";
            let finding = Sink::finding(self.run, Check::OutOfBounds, at, message, help);
            let who = Some(self.who(first));
            self.sink.add(finding, (at, at), count, who);
        }
    }

    pub(super) fn pick(&mut self, to: Regs, from: Regs, address: Reg, offset: u32) {
        let uniform = self.uniform(address);
        for index in 0..to.count {
            let target = to.at(index);
            let mut out = self.take(target);
            let within = |at: u32| {
                let at = at.checked_add(offset)?.checked_add(index)?;
                (at < from.count).then(|| from.at(at))
            };
            if let Some(at) = uniform {
                match within(at) {
                    Some(source) if source != target => out.copy_from_slice(self.reg(source)),
                    _ => out.fill(0),
                }
            } else {
                for (lane, out) in out.iter_mut().enumerate() {
                    let source = within(self.word(address, lane));
                    *out = source.map_or(0, |source| self.word(source, lane));
                }
            }
            self.give(target, out);
        }
    }

    pub(super) fn put(&mut self, from: Regs, to: Regs, address: Reg, offset: u32) {
        let within = |at: u32, index: u32| {
            let at = at.checked_add(offset)?.checked_add(index)?;
            (at < to.count).then(|| to.at(at))
        };
        if let Some(at) = self.uniform(address) {
            for index in 0..from.count {
                if let Some(target) = within(at, index) {
                    self.copy(Regs::new(target, 1), Regs::new(from.at(index), 1));
                }
            }
            return;
        }
        for lane in 0..self.active.len() {
            if !self.is_active(lane) {
                continue;
            }
            let at = self.word(address, lane);
            for index in 0..from.count {
                if let Some(target) = within(at, index) {
                    let value = self.word(from.at(index), lane);
                    self.set(target, lane, value);
                }
            }
        }
    }

    /// The value of a register that is the same for all who take part.
    fn uniform(&self, reg: Reg) -> Option<u32> {
        let value = self.word(reg, self.first_active());
        let lanes = self.reg(reg).iter().zip(&self.active);
        let differs = lanes.fold(0, |any, (word, active)| any | (word ^ value) & active);
        (differs == 0).then_some(value)
    }
}

/// Who accesses memory: an invocation, or its whole subgroup.
fn actor(who: Invocation, lane: u32) -> String {
    if lane & SUBGROUP == 0 {
        who.to_string()
    } else {
        format!("the subgroup of {who}")
    }
}

/// The author's name for the element at a byte address.
pub(crate) fn describe(memory: &Memory, address: u32) -> String {
    use std::fmt::Write as _;
    let mut text = memory.name.clone();
    let mut left = address;
    for dim in &memory.dims {
        let stride = dim.stride.max(1);
        let _ = write!(text, "[{}]", left / stride);
        left %= stride;
    }
    if memory.components > 1 {
        let component = ["x", "y", "z", "w"].get((left / memory.component_bytes()) as usize);
        let _ = write!(text, ".{}", component.unwrap_or(&"_"));
    } else if left != 0 && left >= memory.component_bytes() {
        let _ = write!(text, " (byte {left})");
    }
    text
}
