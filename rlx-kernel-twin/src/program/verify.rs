//! What a program refers to is there: the interpreter need not look.

use super::op::{Block, MemoryId, NameId, Op, PlaceId, Regs, Step, Visit};
use super::{
    DecodeError, MAX_LANES, MAX_REGISTERS, MAX_WORKGROUP_BYTES, Memory, Preload, Program, Space,
};

struct Check<'p> {
    program: &'p Program,
    error: Option<DecodeError>,
}

fn beyond(what: &'static str, number: u64, limit: u64) -> DecodeError {
    DecodeError::Beyond {
        what,
        number,
        limit,
    }
}

impl Check<'_> {
    fn hold(&mut self, what: &'static str, number: u64, limit: usize) {
        if number >= limit as u64 && self.error.is_none() {
            self.error = Some(beyond(what, number, limit as u64));
        }
    }
}

impl Visit for Check<'_> {
    fn regs(&mut self, regs: &mut Regs) {
        let end = u64::from(regs.first.0) + u64::from(regs.count);
        self.hold("register", end, self.program.registers as usize + 1);
    }

    fn memory(&mut self, memory: &mut MemoryId) {
        self.hold("memory", memory.0.into(), self.program.memories.len());
    }

    fn name(&mut self, name: &mut NameId) {
        self.hold("name", name.0.into(), self.program.names.len());
    }

    fn place(&mut self, place: &mut PlaceId) {
        self.hold("place", place.0.into(), self.program.places.len());
    }
}

pub(super) fn verify(program: &Program) -> Result<(), DecodeError> {
    let lanes = program.workgroup_size.iter().map(|size| u64::from(*size));
    let lanes = lanes.fold(1_u64, u64::saturating_mul);
    if lanes == 0 || lanes > MAX_LANES {
        return Err(beyond("invocation", lanes, MAX_LANES));
    }
    if program.registers > MAX_REGISTERS {
        let registers = program.registers.into();
        return Err(beyond("register", registers, MAX_REGISTERS.into()));
    }
    let preloads = program.preloads.len() as u64;
    if preloads > u64::from(program.registers) {
        return Err(beyond("preload", preloads, program.registers.into()));
    }
    for preload in &program.preloads {
        match preload {
            Preload::Param(offset) if *offset > program.params_size.saturating_sub(4) => {
                return Err(beyond(
                    "param",
                    u64::from(*offset),
                    program.params_size.into(),
                ));
            }
            Preload::ParamHalf(offset) if *offset > program.params_size.saturating_sub(2) => {
                return Err(beyond(
                    "param",
                    u64::from(*offset),
                    program.params_size.into(),
                ));
            }
            Preload::Length(memory) if memory.0 as usize >= program.memories.len() => {
                return Err(beyond(
                    "memory",
                    memory.0.into(),
                    program.memories.len() as u64,
                ));
            }
            _ => {}
        }
    }
    let is_workgroup = |memory: &Memory| matches!(memory.space, Space::Workgroup { .. });
    if program.memories.is_sorted_by_key(is_workgroup) {
        for memory in &program.memories {
            check_memory(memory)?;
        }
    } else {
        return Err(DecodeError::Number {
            what: "order of memories",
            number: 0,
        });
    }
    for place in &program.places {
        if place.file as usize >= program.files.len() {
            return Err(beyond(
                "file",
                place.file.into(),
                program.files.len() as u64,
            ));
        }
    }
    shapes(&program.body)?;
    let mut body = program.body.clone();
    let mut check = Check {
        program,
        error: None,
    };
    body.each(&mut check);
    check.error.map_or(Ok(()), Err)
}

fn check_memory(memory: &Memory) -> Result<(), DecodeError> {
    if memory.stride == 0 || !matches!(memory.granule, 2 | 4) {
        return Err(beyond("granule", memory.granule.into(), 4));
    }
    if !memory.len.is_empty() && !matches!(memory.space, Space::Workgroup { .. }) {
        return Err(DecodeError::Number {
            what: "length of a storage binding",
            number: 0,
        });
    }
    match memory.space {
        Space::Workgroup { bytes } if u64::from(bytes) > MAX_WORKGROUP_BYTES => {
            Err(beyond("byte", bytes.into(), MAX_WORKGROUP_BYTES))
        }
        _ => Ok(()),
    }
}

/// Runs of registers have the length that their instruction asks for.
fn shapes(block: &Block) -> Result<(), DecodeError> {
    use super::code::{Pack, Unpack};
    let same = |found: u32, wanted: u32| {
        if found == wanted {
            Ok(())
        } else {
            Err(beyond("register of a run", found.into(), wanted.into()))
        }
    };
    let square = |size: u32| {
        if matches!(size, 8 | 16) {
            Ok(())
        } else {
            Err(beyond("row of a matrix", size.into(), 16))
        }
    };
    for Step { op, .. } in &block.0 {
        match op {
            Op::Copy { to, from } => same(to.count, from.count)?,
            Op::Unpack { op, to, .. } => {
                let two = matches!(op, Unpack::F16x2 | Unpack::Snorm16x2 | Unpack::Unorm16x2);
                same(to.count, if two { 2 } else { 4 })?;
            }
            Op::Pack { op, a, .. } => {
                let two = matches!(op, Pack::F16x2 | Pack::Snorm16x2 | Pack::Unorm16x2);
                same(a.count, if two { 2 } else { 4 })?;
            }
            Op::Ballot { to, .. } => same(to.count, 4)?,
            Op::MatrixMultiplyAdd { size, .. }
            | Op::MatrixBinary { size, .. }
            | Op::MatrixScale { size, .. } => square(*size)?,
            Op::MatrixLoad { tile, .. } | Op::MatrixStore { tile, .. } => {
                square(tile.size)?;
                let bytes = if tile.half { 2 } else { 4 };
                same(tile.component, bytes)?;
            }
            Op::WideUnary { to, a, .. } => {
                same(to.count, 2)?;
                same(a.count, 2)?;
            }
            Op::Wide { op, to, a, b } => {
                same(to.count, if op.is_comparison() { 1 } else { 2 })?;
                same(a.count, 2)?;
                same(b.count, if op.is_shift() { 1 } else { 2 })?;
            }
            Op::Convert { op, to, a } => {
                same(to.count, if op.is_to_float() { 1 } else { 2 })?;
                same(a.count, if op.is_to_float() { 2 } else { 1 })?;
            }
            Op::If {
                then, otherwise, ..
            } => {
                shapes(then)?;
                shapes(otherwise)?;
            }
            Op::Loop { body, continuing } => {
                shapes(body)?;
                shapes(continuing)?;
            }
            Op::Scope { body } | Op::Turns { body } => shapes(body)?,
            _ => {}
        }
    }
    Ok(())
}
